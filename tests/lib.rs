//! Nothing: the suite is the test target `it`. A package needs a target of its own besides its tests.
