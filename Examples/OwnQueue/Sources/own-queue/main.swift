import GCDLab

Lab(patterns: [OwnQueue()], files: Shelf.files).main()
