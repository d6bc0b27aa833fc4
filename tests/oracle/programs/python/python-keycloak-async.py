# oracle: services; 503 drop refuse
import asyncio
import os

from keycloak import KeycloakOpenID


async def main():
    login = KeycloakOpenID(os.environ["BASE_URL"], realm_name="r", client_id="c", max_retries=3)
    await login.a_userinfo("token")


asyncio.run(main())
