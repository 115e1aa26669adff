// The recorder as one object file, which is linked to programs that contain Dispatch instead of loading it. The
// linker's --wrap redirects the program's calls to the functions of the object file.
#include "Trace.c"

#include "preloaded/Begin.h"

// A note that remains in the program's file even if the file is stripped. The note identifies the recorder, and
// GCDLAB_NUMBER shows whether the recorder has the same version as the lab's recorder.
#define TEXT(number) #number
#define NUMBER(number) TEXT(number)
__asm__(".pushsection .note.gcdlab, \"a\", %note\n.p2align 2\n.long 7, 4, 1\n.asciz \"gcdlab\"\n.p2align 2\n.long "
        NUMBER(GCDLAB_NUMBER) "\n.popsection");
