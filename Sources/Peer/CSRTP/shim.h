// libsrtp for Swift. Its constants and functions are all seen as they are.
#pragma once

#include <srtp2/srtp.h>
