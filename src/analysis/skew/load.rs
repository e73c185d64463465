//! The busiest shard of an uneven spread, from the distribution of one shard's load on a grid.

use crate::analysis::skew::apart;
use crate::analysis::skew::transform::{CELLS, Complex, Roots};
use crate::analysis::skew::ways::each_way;
use crate::analysis::spread::Spread;

/// Shards up to which all ways to place the heaviest values are counted.
const FEW_SHARDS: u32 = 20;

/// Values placed one by one on few shards: five can share shards in 52 ways.
const HEAVY_ON_FEW: usize = 5;

/// Values placed one by one on more shards.
const HEAVY_ON_MANY: usize = 24;

/// A value is heavy from this part of the standard deviation of a shard's load.
const HEAVY: f64 = 0.25;

/// One in so many placements may leave the grid.
const RARE: f64 = 1e5;

/// Cells kept free below the lowest load.
const MARGIN: f64 = 4.0;

/// A chance that is left out.
const IMPOSSIBLE: f64 = 1e-12;

/// A number for each cell of the grid.
pub(super) type Row = [f64; CELLS];

/// Values of the same share that are not placed one by one.
#[derive(Clone, Copy)]
struct Run {
    share: f64,
    count: f64,
}

/// What is placed: heavy values, and all others.
struct Values {
    heavy: Vec<f64>,
    others: Vec<Run>,
}

/// Expected share on the busiest shard.
///
/// # Model
///
/// The heaviest values are placed one by one. The number of times that any
/// other value occurs is taken to be Poisson with mean 1, which makes its
/// shards independent: the maximum is nearly linear in the small change of the
/// total, so that its mean hardly moves. One shard's load is then a compound
/// Poisson sum, whose distribution is the inverse Fourier transform of
/// `exp(Σ (e^(iωp) − 1)/S)` on 512 cells that cover every load the busiest
/// shard can have.
pub(super) fn busiest_share(spread: &Spread, shards: u32) -> f64 {
    let s = f64::from(shards);
    let few = shards <= FEW_SHARDS;
    let values = Values::of(spread, s, if few { HEAVY_ON_FEW } else { HEAVY_ON_MANY });
    let grid = Grid::over(&values, s);
    // From here on all shares count in cells.
    let heavy: Vec<f64> = values.heavy.iter().map(|it| it / grid.cell).collect();
    let (first, mut load) = grid.load(&values.others, s);
    let within = if few {
        accumulate(&mut load);
        within_by_ways(&load, &heavy, shards)
    } else {
        for share in &heavy {
            add(&mut load, *share, s);
        }
        accumulate(&mut load);
        apart::all_within(&load, &heavy, shards)
    };
    first + grid.cell * within.iter().map(|it| 1.0 - it).sum::<f64>()
}

impl Values {
    fn of(spread: &Spread, s: f64, limit: usize) -> Self {
        let least = HEAVY * (spread.sum_squares() / s).sqrt();
        let classes = spread.tail().iter().map(|it| Run { share: it.value(), count: it.share / it.value() });
        let mut runs: Vec<Run> =
            spread.heavy().map(|share| Run { share, count: 1.0 }).chain(classes).collect();
        runs.sort_by(|a, b| b.share.total_cmp(&a.share));
        let mut heavy = Vec::with_capacity(limit);
        for run in &mut runs {
            // A class that is not quite even may count a little less than a whole value.
            while heavy.len() < limit && run.share > least && run.count > 1.0 - 1e-9 {
                heavy.push(run.share);
                run.count -= 1.0;
            }
        }
        runs.retain(|it| it.count > 1e-9);
        Self { heavy, others: runs }
    }

    /// The load that a shard exceeds with a chance of at most `exp(−odds)`.
    ///
    /// # Model
    ///
    /// Chernoff's bound, `min (log E[e^(θL)] + odds)/θ`, which falls and then
    /// rises with θ.
    fn ceiling(&self, s: f64, squares: f64, odds: f64) -> f64 {
        // Similar values count as so many of the largest, which only raises the bound.
        let mut groups: Vec<Run> = Vec::new();
        for run in &self.others {
            match groups.last_mut() {
                Some(group) if run.share > 0.8 * group.share => {
                    group.count += run.count * run.share / group.share;
                }
                _ => groups.push(*run),
            }
        }
        let top = self.heavy.first().copied().into_iter().chain(groups.first().map(|it| it.share));
        let top = top.fold(0.0, f64::max);
        let mut tilt = (0.25 * (2.0 * odds * s / squares).sqrt()).min(1.0 / top);
        let mut least = f64::INFINITY;
        while tilt * top < 60.0 {
            let heavy: f64 = self.heavy.iter().map(|it| libm::log1p(libm::expm1(tilt * it) / s)).sum();
            let others: f64 = groups.iter().map(|it| it.count / s * libm::expm1(tilt * it.share)).sum();
            let bound = (heavy + others + odds) / tilt;
            if bound > least {
                break;
            }
            least = bound;
            tilt *= 1.5;
        }
        least
    }
}

/// The loads that the cells stand for.
struct Grid {
    low: f64,
    cell: f64,
}

impl Grid {
    /// A grid over all loads that matter.
    fn over(values: &Values, s: f64) -> Self {
        let (share, squares) = sums(&values.others);
        let heavy_squares: f64 = values.heavy.iter().map(|it| it * it).sum();
        let odds = libm::log(s * RARE);
        let high = values.ceiling(s, squares + heavy_squares, odds);
        let reach = (2.0 * odds).sqrt();
        let lowest = share / s - reach * (squares / s).sqrt();
        let mut low = lowest.max(0.0);
        let mut cell = 0.0;
        // Which values are smaller than a cell depends on the cell: three rounds settle it.
        for _ in 0..3 {
            cell = (high - low) / (CELLS as f64 - MARGIN);
            if let Some(top) = values.heavy.first().filter(|it| **it > cell) {
                // The heaviest values should not be smeared over two cells.
                cell = top / (top / cell).floor();
            }
            let (share, squares) =
                sums(&values.others[values.others.partition_point(|it| !is_small(it, cell))..]);
            low = lowest.max((share / s) - reach * (squares / s).sqrt()) - MARGIN * cell;
        }
        Self { low, cell }
    }

    /// The load of the first cell, and the chance of each cell, without the heavy values.
    fn load(&self, others: &[Run], s: f64) -> (f64, Row) {
        // A value between two whole numbers of cells becomes jumps to both, with
        // the same mean and the same square; one smaller than a cell a drift
        // with steps up and down.
        let mut jumps = [Complex::default(); CELLS];
        let (mut drift, mut wander, mut rate) = (0.0, 0.0, 0.0);
        for run in others {
            let (often, cells) = (run.count / s, run.share / self.cell);
            if is_small(run, self.cell) {
                drift += often * cells;
                wander += often * cells * cells;
                continue;
            }
            let whole = cells.floor();
            let up = often * cells * (cells - whole) / (whole + 1.0);
            let down = if whole > 0.0 { often * cells * (whole + 1.0 - cells) / whole } else { 0.0 };
            drift += often * cells - up * (whole + 1.0) - down * whole;
            rate += up + down;
            jumps[(whole as usize + 1) % CELLS].re += up;
            jumps[whole as usize % CELLS].re += down;
        }
        let roots = Roots::new();
        roots.transform(&mut jumps);
        let mut chances = [Complex::default(); CELLS];
        for j in 0..=CELLS / 2 {
            let log_size = jumps[j].re - rate + wander * (roots.cosine(j) - 1.0);
            if log_size < -50.0 {
                continue;
            }
            let size = libm::exp(log_size);
            // Conjugated, so that the same transform goes back.
            let value = Complex { re: size * libm::cos(jumps[j].im), im: -size * libm::sin(jumps[j].im) };
            chances[j] = value;
            chances[(CELLS - j) % CELLS] = Complex { re: value.re, im: -value.im };
        }
        roots.transform(&mut chances);
        // The transform is periodic: cell n of the grid is cell n + offset of the lattice.
        let offset = (self.low / self.cell - drift).floor();
        let turn = offset.rem_euclid(CELLS as f64) as usize;
        let row = std::array::from_fn(|n| chances[(n + turn) % CELLS].re / CELLS as f64);
        ((drift + offset) * self.cell, row)
    }
}

fn is_small(run: &Run, cell: f64) -> bool {
    run.share < 0.5 * cell
}

/// Sum of the shares and of their squares.
fn sums(runs: &[Run]) -> (f64, f64) {
    runs.iter().fold((0.0, 0.0), |(share, squares), it| {
        (share + it.count * it.share, squares + it.count * it.share * it.share)
    })
}

/// Chances of each cell become chances of at most that cell.
fn accumulate(row: &mut Row) {
    let mut sum = 0.0;
    for it in row {
        // Rounding may leave a chance a little below zero.
        sum += it.max(0.0);
        *it = sum.min(1.0);
    }
}

/// Adds a value that is there with chance 1/S.
fn add(row: &mut Row, cells: f64, s: f64) {
    let moved = moved(row, cells);
    for (it, with) in row.iter_mut().zip(moved) {
        *it += (with - *it) / s;
    }
}

/// The row moved up by a distance, between cells in proportion.
fn moved(row: &Row, cells: f64) -> Row {
    let (whole, part) = shifted(cells);
    let mut moved = [0.0; CELLS];
    let Some(target) = moved.get_mut(whole..) else { return moved };
    for (it, near) in target.iter_mut().zip(row) {
        *it = (1.0 - part) * near;
    }
    for (it, far) in target.iter_mut().skip(1).zip(row) {
        *it += part * far;
    }
    moved
}

/// A distance in cells as a whole number, at least 1, and a part.
pub(super) fn shifted(cells: f64) -> (usize, f64) {
    let whole = cells.floor().max(1.0);
    (whole as usize, (cells - whole).max(0.0))
}

/// For each cell the chance that all shards stay within it, over all ways to place the heavy values.
fn within_by_ways(load: &Row, heavy: &[f64], shards: u32) -> Row {
    let inverse = load.map(|it| if it > 0.0 { 1.0 / it } else { 0.0 });
    // The chance for the shards without a heavy value, by the number of the others.
    let mut free = vec![load.map(|it| power(it, shards))];
    for used in 0..heavy.len() {
        let next = std::array::from_fn(|n| free[used][n] * inverse[n]);
        free.push(next);
    }
    // Below this cell some shard holds more for sure, or nearly so.
    let heaviest = heavy.first().map_or(0, |it| shifted(*it).0);
    let start = heaviest.max(free[0].iter().take_while(|it| **it < IMPOSSIBLE).count()).min(CELLS);
    let mut moved_rows: Vec<(f64, Row)> = Vec::new();
    let mut within = [0.0; CELLS];
    each_way(heavy, f64::from(shards), &mut |loads, chance| {
        let mut product = free[loads.len()];
        for cells in loads {
            let known = moved_rows.iter().position(|it| it.0.to_bits() == cells.to_bits());
            let known = known.unwrap_or_else(|| {
                moved_rows.push((*cells, moved(load, *cells)));
                moved_rows.len() - 1
            });
            for (it, moved) in product[start..].iter_mut().zip(&moved_rows[known].1[start..]) {
                *it *= moved;
            }
        }
        for (sum, it) in within[start..].iter_mut().zip(&product[start..]) {
            *sum += chance * it;
        }
    });
    within
}

/// `x^n` by squaring.
pub(super) fn power(x: f64, n: u32) -> f64 {
    let (mut square, mut left, mut product) = (x, n, 1.0);
    while left > 0 {
        if left & 1 == 1 {
            product *= square;
        }
        square *= square;
        left >>= 1;
    }
    product
}
