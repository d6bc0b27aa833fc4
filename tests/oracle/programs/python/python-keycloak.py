# oracle: services; 503 400 drop refuse
import os

from keycloak import KeycloakOpenID

login = KeycloakOpenID(os.environ["BASE_URL"], realm_name="r", client_id="c")
login.userinfo("token")
