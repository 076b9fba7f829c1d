#pragma once
namespace app { int one(); }
}
int two();
