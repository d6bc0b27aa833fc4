//! Strongly connected components of the call graph, callees first; iterative.

/// The components of a graph given as adjacency lists, each a list of nodes; callees come before callers.
pub fn components(edges: &[Vec<u32>]) -> Vec<Vec<u32>> {
    const NEW: u32 = u32::MAX;
    let mut index = vec![NEW; edges.len()];
    let mut low = vec![0u32; edges.len()];
    let mut on_stack = vec![false; edges.len()];
    let mut stack: Vec<u32> = Vec::new();
    let mut result = Vec::new();
    let mut next = 0;
    let mut work: Vec<(u32, usize)> = Vec::new();
    for root in 0..edges.len() as u32 {
        if index[root as usize] != NEW {
            continue;
        }
        work.push((root, 0));
        while let Some(&mut (node, ref mut at)) = work.last_mut() {
            let n = node as usize;
            if *at == 0 {
                index[n] = next;
                low[n] = next;
                next += 1;
                stack.push(node);
                on_stack[n] = true;
            }
            if let Some(&to) = edges[n].get(*at) {
                *at += 1;
                let t = to as usize;
                if index[t] == NEW {
                    work.push((to, 0));
                } else if on_stack[t] {
                    low[n] = low[n].min(index[t]);
                }
                continue;
            }
            work.pop();
            if let Some(&(parent, _)) = work.last() {
                let p = parent as usize;
                low[p] = low[p].min(low[n]);
            }
            if low[n] == index[n] {
                let mut component = Vec::new();
                while let Some(top) = stack.pop() {
                    on_stack[top as usize] = false;
                    component.push(top);
                    if top == node {
                        break;
                    }
                }
                component.sort_unstable();
                result.push(component);
            }
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::components;

    #[test]
    fn callees_come_first() {
        let found = components(&[vec![1], vec![2], vec![1, 3], vec![]]);
        assert_eq!(found, vec![vec![3], vec![1, 2], vec![0]]);
    }

    #[test]
    fn a_node_visited_with_an_empty_list_of_callees_is_not_indexed_twice() {
        assert_eq!(components(&[vec![], vec![0, 0]]).len(), 2);
    }

    #[test]
    fn deep_chains_do_not_recurse() {
        let edges: Vec<Vec<u32>> =
            (0..200_000u32).map(|i| if i + 1 < 200_000 { vec![i + 1] } else { vec![] }).collect();
        assert_eq!(components(&edges).len(), 200_000);
    }
}
