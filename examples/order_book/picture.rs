//! A book over time: what waits at each price, green where it is bid and red where it is asked, and trades as discs that are as large as
//! they were. At the right border is what waits in the end.

use image::{Rgb, RgbImage};

use crate::book::{Book, HIGHEST, Report};

/// Pixels of the part that shows the past, and of the one that shows the end.
pub const PAST: u32 = 1280;
const END: u32 = 160;
const HEIGHT: u32 = 720;

const NIGHT: [f32; 3] = [12.0, 14.0, 22.0];
const BID: [f32; 3] = [40.0, 200.0, 140.0];
const ASK: [f32; 3] = [235.0, 80.0, 80.0];
const TRADE: Rgb<u8> = Rgb([255, 240, 190]);

/// Draws a book as it was from one order to the next, and what it reported.
pub fn picture(history: &[Book], reports: &[Report]) -> RgbImage {
    let deepest = |price: u32| history.iter().map(|book| book.waiting[price as usize]).max();
    let deepest: Vec<u32> = (0..=HIGHEST).map(|price| deepest(price).unwrap_or(0)).collect();
    let most = deepest.iter().copied().max().unwrap_or(0).max(1) as f32;
    let is_used = |price: &u32| deepest[*price as usize] > 0;
    let lowest = (0..=HIGHEST).find(is_used).unwrap_or(0);
    let highest = (0..=HIGHEST).rfind(is_used).unwrap_or(HIGHEST);
    let tick = HEIGHT as f32 / (highest - lowest + 1) as f32;

    let mut picture = RgbImage::from_fn(PAST + END, HEIGHT, |x, y| {
        let price = highest - (y as f32 / tick) as u32;
        let at = (x as usize * history.len() / PAST as usize).min(history.len() - 1);
        let (book, depth) = (&history[at], history[at].waiting[price as usize] as f32 / most);
        let share = match x.checked_sub(PAST) {
            None => depth.sqrt(),
            Some(x) if x > 1 && (x as f32) < depth * END as f32 => 1.0,
            Some(_) => 0.0,
        };
        let colour = if price <= book.bid { BID } else { ASK };
        Rgb([0, 1, 2].map(|part| (NIGHT[part] + share * (colour[part] - NIGHT[part])) as u8))
    });
    let messages = history.last().map_or(1, |last| last.messages.max(1)) as f32;
    for report in reports {
        if let Report::Fill(fill) = report {
            let x = fill.message as f32 / messages * PAST as f32;
            let y = (highest.saturating_sub(fill.price) as f32 + 0.5) * tick;
            disc(&mut picture, (x, y), 0.45 * (fill.lots as f32).sqrt());
        }
    }
    picture
}

fn disc(picture: &mut RgbImage, (middle_x, middle_y): (f32, f32), radius: f32) {
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
