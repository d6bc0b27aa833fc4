//! `squall graph`: the call graph for programs. The picture of the layers is not built yet.

use super::OK;
use super::args::{Common, Graph};
use super::check;
use super::errors::Failure;
use super::streams::Streams;
use crate::discover::{self, Scope};

pub(super) fn run(args: &Graph, common: &Common, streams: &Streams) -> Result<u8, Failure> {
    if !args.calls {
        return Err(Failure::NotBuilt("squall graph without --calls"));
    }
    if args.format != "json" {
        return Err(Failure::NotBuilt("squall graph --calls in another format than json"));
    }
    let scope = Scope::of(std::slice::from_ref(&args.path))?;
    let config = check::load(&scope.root, common)?;
    let project = discover::read(&scope, &config);
    let catalogue = crate::catalogue::Catalogue::with_user_rules(&config.rules)
        .map_err(|error| Failure::Usage(crate::escape::line(&error).into_owned()))?;
    let graph = crate::call_graph(&project, &config, &catalogue);
    streams.deliver(&graph.json(), args.output.as_deref())?;
    Ok(OK)
}
