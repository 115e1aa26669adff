import Instruments
import LabTesting
import Testing

@Suite struct InheritedDescriptorsTests {
  @Test func `a failure is reported in a process that closed its inherited descriptors`() async {
    await withKnownIssue {
      await #expect(processExitsWith: .success) {
        closeInheritedDescriptors()
        #expect(Bool(false))
      }
    }
  }
}
