//! How much of the data moves when the number of nodes changes.

use crate::model::PlacementKind;
use crate::report::build::Judged;
use crate::report::claims::Figure;
use crate::units::text;

/// The share that moves from the plan's nodes to those planned for later, one more when left out.
pub(in crate::report) fn moved_on_add_node(judged: &Judged<'_>) -> Figure {
    let plan = judged.plan;
    let Some(now) = judged.setting.nodes.filter(|it| 0 < *it) else {
        return Err("the number of nodes is not stated".to_owned());
    };
    let later = plan.nodes_later.unwrap_or_else(|| now.saturating_add(1)).max(1);
    let placement = plan.placement.map_or_else(PlacementKind::default, |(it, _)| it);
    let shards = judged.setting.shards;
    let Some(share) = moved_share(placement, shards, now, later) else {
        return Err(
            "with ranges that split by themselves only what splits moves, and its size is not stated"
                .to_owned(),
        );
    };
    let formula = match placement {
        PlacementKind::Mod => "hash mod nodes: 1 − gcd(N, M)/max(N, M)".to_owned(),
        PlacementKind::Fixed => format!("{shards} fixed partitions, moved whole: ⌊P/M⌋·(M − N)/P"),
        PlacementKind::Ring | PlacementKind::Jump | PlacementKind::Rendezvous => {
            "consistent placement: (M − N)/M".to_owned()
        }
        PlacementKind::Dynamic => String::new(),
    };
    Ok((share, format!("{now} to {later} nodes, {formula} = {}", text::share(share))))
}

/// The share of keys that find another node when their number changes.
///
/// # Model
///
/// mod: `1 − gcd(N, M)/max(N, M)`, as a key stays if its hash leaves the same
/// rest by both. Fixed partitions: each new node takes `⌊P/M⌋` whole ones.
/// Ring, jump and rendezvous: what the new nodes own in the end. Fewer nodes
/// are the same way back. `None` for ranges that split by themselves.
fn moved_share(placement: PlacementKind, shards: u32, now: u32, later: u32) -> Option<f64> {
    let (few, many) = (now.min(later), now.max(later));
    let [p, n, m] = [shards.max(1), few.max(1), many.max(1)].map(f64::from);
    match placement {
        PlacementKind::Mod => Some(1.0 - f64::from(gcd(few, many)) / m),
        PlacementKind::Fixed => Some((p / m).floor() * (m - n) / p),
        PlacementKind::Ring | PlacementKind::Jump | PlacementKind::Rendezvous => Some((m - n) / m),
        PlacementKind::Dynamic => None,
    }
}

fn gcd(mut a: u32, mut b: u32) -> u32 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a.max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Keys 0, 1, 2, … that change their node, counted.
    fn counted(now: u32, later: u32) -> f64 {
        let keys = now * later;
        f64::from((0..keys).filter(|it| it % now != it % later).count() as u32) / f64::from(keys)
    }

    fn near(value: Option<f64>, expected: f64) {
        let value = value.unwrap();
        assert!((value - expected).abs() < 1e-12, "{value} is not {expected}");
    }

    #[test]
    fn hash_mod_nodes_moves_what_a_count_of_keys_says() {
        for (now, later) in [(4, 5), (10, 12), (8, 16), (3, 4), (6, 4), (7, 7), (1, 2)] {
            near(moved_share(PlacementKind::Mod, 64, now, later), counted(now, later));
        }
    }

    #[test]
    fn fixed_partitions_move_whole() {
        // The eleventh node takes ⌊128/11⌋ = 11 of 128; the fifth ⌊256/5⌋ = 51 of 256.
        near(moved_share(PlacementKind::Fixed, 128, 10, 11), 11.0 / 128.0);
        near(moved_share(PlacementKind::Fixed, 256, 4, 5), 51.0 / 256.0);
        // 480 on 32 nodes are 15 each, on 96 nodes 5 each: two thirds move.
        near(moved_share(PlacementKind::Fixed, 480, 32, 96), 2.0 / 3.0);
        near(moved_share(PlacementKind::Fixed, 4, 8, 9), 0.0);
    }

    #[test]
    fn consistent_placement_moves_what_the_new_nodes_own() {
        for placement in [PlacementKind::Ring, PlacementKind::Jump, PlacementKind::Rendezvous] {
            near(moved_share(placement, 16, 10, 11), 1.0 / 11.0);
            near(moved_share(placement, 16, 4, 4), 0.0);
        }
        assert_eq!(moved_share(PlacementKind::Dynamic, 16, 4, 5), None);
    }
}
