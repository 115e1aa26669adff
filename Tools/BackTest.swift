@_silgen_name("swift_task_addCancellationHandler")
func addHandler(_ handler: () -> Void) -> UnsafeRawPointer?

@_silgen_name("swift_task_removeCancellationHandler")
func removeHandler(_ record: UnsafeRawPointer?)

/// `withTaskCancellationHandler` as it was before Swift 6.2. The function inserted the record of the handler, and then
/// called the handler if the task had been cancelled by that time. A thread that cancelled the task in between found
/// the record and also called the handler (https://github.com/swiftlang/swift/issues/80161).
@_silgen_name("$ss27withTaskCancellationHandler9operation8onCancel9isolationxxyYaKXE_yyYbXEScA_pSgYitYaKlF")
public func runCancellable<Result>(
  operation: () async throws -> Result, onCancel handler: @Sendable () -> Void, isolation: isolated (any Actor)?
) async rethrows -> Result {
  let record = addHandler(handler)
  defer { removeHandler(record) }
  // If addHandler() returns no record, the current runtime has already called the handler.
  if record != nil, Task.isCancelled { handler() }
  return try await operation()
}
