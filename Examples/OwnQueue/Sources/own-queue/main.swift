import GCDLab
import OwnQueueExplored

Lab(patterns: [OwnQueue()], files: Shelf.files, explored: [exploredOwnQueue]).main()
