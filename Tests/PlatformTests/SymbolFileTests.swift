import Testing

@testable import Platform

@Suite struct SymbolFileTests {
  @Test(
    arguments: [
      ("_dispatch_sync_f_slow", true), ("$s8Dispatch0A5QueueC4sync7executexxyKXE_tKlF", true),
      ("$sSo12OS_dispatch_queueC8DispatchE4syncyyyyXEF", true), ("$s8Dispatch0A9SemaphoreC1xE10waitCompatyyF", false),
      ("$s1x4mainyyF", false), ("main", false),
    ]) func `an extension of a type of Dispatch belongs to the program`(_ symbol: String, _ isOfDispatch: Bool)
  {
    #expect(SymbolFile.isOfDispatch(symbol) == isOfDispatch)
  }

  @Test(
    arguments: [
      ("$s8Dispatch0A9SemaphoreC1xE10waitCompatyyF", "DispatchSemaphore.waitCompat()"),
      ("$s8Dispatch0A9SemaphoreC1xE10waitCompatyyFySiXEfU_", "closure #1 in DispatchSemaphore.waitCompat()"),
      ("$s1x4mainyyFyycfU_Tm", "closure #1 in main() or an equal function"), ("$s1x4mainyyF", "main()"),
      ("main", "main"),
    ]) func `the name of a symbol is that of the source code`(_ symbol: String, _ name: String)
  {
    #expect(SymbolFile.readable(symbol) == name)
  }
}
