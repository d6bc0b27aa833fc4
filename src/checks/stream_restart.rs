//! SQ304: output that was delivered comes again.

use super::sites::{is_around, repeats_class, sites};
use super::words::{sentence, who};
use super::{Check, Finding, Input, Severity};
use crate::chains::{Chain, Confidence, Failure, Layer};

pub(super) const CHECK: Check = Check {
    name: "stream-restart",
    code: "SQ304",
    severity: Severity::Warning,
    pedantic: false,
    summary: "A retried region reads a streamed answer: what was delivered comes again",
    page: include_str!("stream_restart.md"),
    run,
};

fn run(input: &Input, out: &mut Vec<Finding>) {
    for site in sites(input, restarts, |layer| layer.place) {
        // Without the place where it is read, the region may end before: little more than a guess.
        let confidence = if site.layer.rereads.is_some() { Confidence::High } else { Confidence::Low };
        let mut draft = input
            .draft(&CHECK, site.place, site.function())
            .message(format!(
                "{} begins the streamed answer of `{}` anew: what was delivered before the break comes again and is paid again",
                sentence(&who(site.layer)),
                site.chain.call.target
            ))
            .help(
                "Retry only until the first piece is there. After that end with an error, or collect the whole answer before \
                 anything is passed on.",
            )
            .chain(site.index)
            .confidence(site.chain.confidence.min(confidence));
        if let Some(place) = site.layer.rereads {
            draft = draft.related(place, "the stream is read here");
        }
        out.push(draft.relate(site.related()).related(site.chain.call.place, "the streaming call").done());
    }
}

fn restarts(chain: &Chain, layer: &Layer) -> bool {
    // A break in the middle is seen as a lost connection, a timeout or a refused answer.
    let breaks = [Failure::Disconnect, Failure::Timeout, Failure::Overloaded, Failure::Server];
    chain.call.stream && is_around(layer) && breaks.into_iter().any(|class| repeats_class(layer, class))
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::*;

    fn streaming(layers: Vec<Layer>) -> Chain {
        let mut chain = chain(layers);
        chain.call.stream = true;
        chain
    }

    #[test]
    fn a_loop_around_the_reading_of_a_stream() {
        let layer = Layer { rereads: Some(line(8)), ..looped(6, 5) };
        let found = check(&CHECK, vec![streaming(vec![layer])]);
        assert_eq!((lines(&found), related(&found[0])), (vec![6], vec![8, 50]));
        assert_eq!(found[0].confidence, Confidence::High);
    }

    #[test]
    fn a_loop_of_which_the_reading_is_not_known_is_a_guess() {
        assert_eq!(check(&CHECK, vec![streaming(vec![looped(6, 5)])])[0].confidence, Confidence::Low);
    }

    #[test]
    fn a_client_s_own_retries_end_before_the_first_piece() {
        assert_eq!(check(&CHECK, vec![streaming(vec![built_in(50, 3)]), chain(vec![looped(6, 5)])]), vec![]);
    }
}
