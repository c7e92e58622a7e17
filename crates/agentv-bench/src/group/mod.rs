//! The groups of measurements, a file each. A group makes its files, measures, and tells rows.

pub mod batch;
pub mod cases;
pub mod grade;
pub mod growth;
pub mod load;
pub mod peers;
pub mod results;
pub mod start;

/// How a size is written in names: 1,000,000 is `1M`.
fn short(number: usize) -> String {
    match number {
        _ if number >= 1_000_000 && number.is_multiple_of(1_000_000) => {
            format!("{}M", number / 1_000_000)
        }
        _ if number >= 1_000 && number.is_multiple_of(1_000) => format!("{}k", number / 1_000),
        _ => number.to_string(),
    }
}
