//! A book over time: what waits at each price, green where it is bid and red where it is asked, and trades as discs that are as large as
//! they were. At the right border is what waits in the end.

use image::{Rgb, RgbImage};

use crate::book::{Book, Fill, HIGHEST, Report};

/// Pixels of the part that shows the past, and of the one that shows the end.
pub const PAST: u32 = 1280;
const END: u32 = 160;
/// Pixels of a price.
const TICK: u32 = 6;
const HEIGHT: u32 = (HIGHEST + 1) * TICK;

const NIGHT: [f32; 3] = [12.0, 14.0, 22.0];
const BID: [f32; 3] = [40.0, 190.0, 130.0];
const ASK: [f32; 3] = [225.0, 80.0, 80.0];
const TRADE: Rgb<u8> = Rgb([255, 240, 190]);

/// Draws a book as it was from one message to the next, and the trades that it reported.
pub fn picture(history: &[Book], reports: &[Report]) -> RgbImage {
    let messages = history.last().map_or(1, |last| last.messages.max(1));
    let deepest = history.iter().flat_map(|book| book.waiting).max().unwrap_or(0).max(1) as f32;
    let mut picture = RgbImage::from_fn(PAST + END, HEIGHT, |x, y| {
        let price = HIGHEST - y / TICK;
        let at = (x as usize * history.len() / PAST as usize).min(history.len() - 1);
        let book = &history[at];
        let depth = book.waiting[price as usize] as f32 / deepest;
        let share = match x.checked_sub(PAST) {
            None => depth.sqrt() * 0.9,
            Some(x) if x > 1 && (x as f32) < depth * END as f32 => 1.0,
            Some(_) => 0.0,
        };
        let colour = if price <= book.bid { BID } else { ASK };
        Rgb([0, 1, 2].map(|part| (NIGHT[part] + share * (colour[part] - NIGHT[part])) as u8))
    });
    for report in reports {
        if let Report::Fill(fill) = report {
            disc(&mut picture, fill, messages);
        }
    }
    picture
}

/// A trade, where it was and as large as it was.
fn disc(picture: &mut RgbImage, fill: &Fill, messages: u32) {
    let radius = 0.6 * (fill.lots as f32).sqrt();
    let middle_x = fill.message as f32 / messages as f32 * PAST as f32;
    let middle_y = (HIGHEST - fill.price) as f32 * TICK as f32 + TICK as f32 / 2.0;
    let reach = |middle: f32| (middle - radius).max(0.0) as u32..=(middle + radius) as u32;
    for y in reach(middle_y) {
        for x in reach(middle_x) {
            let (dx, dy) = (x as f32 - middle_x, y as f32 - middle_y);
            if dx * dx + dy * dy <= radius * radius && x < PAST && y < HEIGHT {
                picture.put_pixel(x, y, TRADE);
            }
        }
    }
}
