import Testing

/// Cancels a test that this machine does not support. The output contains the reason (`skipped: "…"`), which
/// distinguishes the test from a test that passed.
public func skip(_ reason: String) throws -> Never { try Test.cancel(Comment(rawValue: reason)) }
