//! A limit order book of fixed size, and the ring kernel whose actors are such books.
//!
//! Nobody waits to sell at a price that somebody waits to pay, so one column of lots holds both sides: up to the price that is bid are
//! those who buy, from the price that is asked on those who sell, and between the two is the spread.

use gpuvm::prelude::*;

/// Prices are whole ticks, from 1 to this.
pub const HIGHEST: u32 = 127;

#[derive(VmType, Clone, Copy)]
pub struct Book {
    /// The lots that wait at each price.
    pub waiting: [u32; HIGHEST as usize + 1],
    /// The highest price of those who buy; 0 if there are none.
    pub bid: u32,
    /// The lowest price of those who sell; above [`HIGHEST`] if there are none.
    pub ask: u32,
    /// How many messages it has had.
    pub messages: u32,
}

impl Default for Book {
    fn default() -> Book {
        Book {
            waiting: [0; HIGHEST as usize + 1],
            bid: 0,
            ask: HIGHEST + 1,
            messages: 0,
        }
    }
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs, reason = "the two sides of a trade")]
pub enum Side {
    Buy,
    Sell,
}

/// What a book understands.
#[derive(RingMessage, Clone, Copy, Debug)]
pub enum Order {
    /// Trades at this price or a better one; what is left of it waits.
    Limit { side: Side, price: u32, lots: u32 },
    /// Trades at the best prices there are; what is left of it is dropped.
    Market { side: Side, lots: u32 },
    /// Takes back lots that wait at a price.
    Cancel { price: u32, lots: u32 },
    /// Asks what waits at a price.
    Show { price: u32 },
}

/// What a book answers, if it has anything to say.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
pub enum Report {
    /// An order was carried out, at least in part.
    Fill(Fill),
    /// What waits at a price, and what the best prices are.
    Level { price: u32, lots: u32, bid: u32, ask: u32 },
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
pub struct Fill {
    /// Which of the book's messages it was.
    pub message: u32,
    /// The lots that changed hands.
    pub lots: u32,
    /// The ticks paid for all of them.
    pub value: u32,
    /// The price of the last of them.
    pub price: u32,
}

/// Carries an order out. This is what each actor runs for each message, and what `main` calls to check them.
#[ring_kernel]
pub fn exchange(book: &mut Book, order: Order) -> Option<Report> {
    book.messages += 1;
    let fill = match order {
        Order::Limit { side, price, lots } => {
            let fill = book.trade(side, price, lots);
            book.wait(side, price, lots - fill.lots);
            fill
        }
        Order::Market { side: Side::Buy, lots } => book.trade(Side::Buy, HIGHEST, lots),
        Order::Market { side: Side::Sell, lots } => book.trade(Side::Sell, 1, lots),
        Order::Cancel { price, lots } => {
            book.remove(price, lots);
            return None;
        }
        Order::Show { price } => {
            let (lots, bid, ask) = (book.waiting[price as usize], book.bid, book.ask);
            return Some(Report::Level { price, lots, bid, ask });
        }
    };
    if fill.lots > 0 { Some(Report::Fill(fill)) } else { None }
}

#[routine]
impl Book {
    /// Trades with those who wait on the other side, the best prices first, up to and including a limit.
    fn trade(&mut self, side: Side, limit: u32, wanted: u32) -> Fill {
        let mut fill = Fill {
            message: self.messages,
            lots: 0,
            value: 0,
            price: 0,
        };
        while fill.lots < wanted {
            let (price, is_good) = match side {
                Side::Buy => (self.ask, self.ask <= limit),
                Side::Sell => (self.bid, self.bid >= limit),
            };
            if !is_good {
                break;
            }
            let lots = self.waiting[price as usize].min(wanted - fill.lots);
            fill.lots += lots;
            fill.value += lots * price;
            fill.price = price;
            self.remove(price, lots);
        }
        fill
    }

    /// Lets lots wait at a price that nobody on the other side takes.
    fn wait(&mut self, side: Side, price: u32, lots: u32) {
        if lots > 0 {
            self.waiting[price as usize] += lots;
            match side {
                Side::Buy => self.bid = self.bid.max(price),
                Side::Sell => self.ask = self.ask.min(price),
            }
        }
    }

    /// Takes lots away, as many as there are, and moves the best prices on to where somebody waits.
    fn remove(&mut self, price: u32, lots: u32) {
        self.waiting[price as usize] = self.waiting[price as usize].saturating_sub(lots);
        while self.bid > 0 && self.waiting[self.bid as usize] == 0 {
            self.bid -= 1;
        }
        while self.ask <= HIGHEST && self.waiting[self.ask as usize] == 0 {
            self.ask += 1;
        }
    }
}
