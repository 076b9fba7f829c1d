// a brace { in a comment
/* and " another ( */
#include <string>
const std::string größe = "日本語 🎉 }";
int été(int 値) { /* } */
    return 値 + 1; // )
}
