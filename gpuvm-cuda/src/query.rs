//! Readings of the device's clock.

use std::sync::Arc;

use wgpu::custom::QuerySetInterface;

use crate::driver::{Driver, Launch, Result};
use crate::pipeline::Form;
use crate::shared::Shared;

/// A handle to readings; none if they could not be made.
#[derive(Clone, Debug)]
pub struct CudaQueries(pub Option<Arc<Queries>>);

/// Room for readings.
#[derive(Debug)]
pub struct Queries {
    shared: Arc<Shared>,
    address: u64,
    /// How many there are.
    pub count: u32,
}

/// The kernel that reads the clock.
const CLOCK: &str = "\
.version 7.0
.target sm_70
.address_size 64
.visible .entry stamp(.param .u64 place)
{
    .reg .u64 %rd<3>;
    ld.param.u64 %rd1, [place];
    cvta.to.global.u64 %rd1, %rd1;
    mov.u64 %rd2, %globaltimer;
    st.global.u64 [%rd1], %rd2;
    ret;
}
";
/// The name of its entry.
const ENTRY: &str = "stamp";

/// Compiles and loads it.
///
/// # Errors
///
/// When the driver refuses.
pub fn clock(driver: &Arc<dyn Driver>) -> Result<Arc<Form>> {
    Ok(Arc::new(Form::of_text(driver, CLOCK, ENTRY, [1; 3], vec![0])?))
}

impl Queries {
    /// Room for so many readings.
    ///
    /// # Errors
    ///
    /// When the driver refuses.
    pub fn new(shared: &Arc<Shared>, count: u32) -> Result<Queries> {
        let bytes = u64::from(count.max(1)) * u64::from(wgpu::QUERY_SIZE);
        let _entered = shared.driver.enter()?;
        let address = shared.driver.allocate(bytes.next_multiple_of(16))?;
        let queries = Queries {
            shared: shared.clone(),
            address,
            count,
        };
        shared.driver.clear(address, bytes)?;
        Ok(queries)
    }

    /// Where a reading is.
    pub fn address(&self, index: u32) -> u64 {
        self.address + u64::from(index) * u64::from(wgpu::QUERY_SIZE)
    }

    /// Tells the stream to read the clock. The thread has entered.
    ///
    /// # Errors
    ///
    /// When the driver refuses.
    pub fn stamp(&self, shared: &Shared, index: u32) -> Result<()> {
        shared.driver.launch(&Launch {
            function: shared.clock.function,
            blocks: [1; 3],
            threads: [1; 3],
            values: &self.address(index).to_ne_bytes(),
            offsets: &shared.clock.offsets,
        })
    }
}

impl Drop for Queries {
    fn drop(&mut self) {
        if let Ok(_entered) = self.shared.driver.enter() {
            self.shared.driver.free(self.address);
        }
    }
}

impl QuerySetInterface for CudaQueries {
    fn destroy(&self) {
        // The readings go with the last handle: what is recorded may have their address.
    }
}
