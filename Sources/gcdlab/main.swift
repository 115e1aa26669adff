import GCDLab
import Patterns

Lab(patterns: Catalogue.patterns, files: Catalogue.files, name: "gcdlab").main()
