@_silgen_name("swift_task_addCancellationHandler")
func addHandler(_ handler: () -> Void) -> UnsafeRawPointer?

@_silgen_name("swift_task_removeCancellationHandler")
func removeHandler(_ record: UnsafeRawPointer?)

/// `withTaskCancellationHandler` as it was before Swift 6.2: it inserted the record of the handler, and then ran the handler
/// if the task was cancelled by then. The thread that had cancelled the task found the record, and ran the handler, too
/// (https://github.com/swiftlang/swift/issues/80161).
@_silgen_name("$ss27withTaskCancellationHandler9operation8onCancel9isolationxxyYaKXE_yyYbXEScA_pSgYitYaKlF")
public func runCancellable<Result>(
  operation: () async throws -> Result, onCancel handler: @Sendable () -> Void, isolation: isolated (any Actor)?
) async rethrows -> Result {
  let record = addHandler(handler)
  defer { removeHandler(record) }
  // Without a record, today's function has run the handler already.
  if record != nil, Task.isCancelled { handler() }
  return try await operation()
}
