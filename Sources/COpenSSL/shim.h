// OpenSSL 3 for Swift. What RillPeer uses is seen as it is.
#pragma once

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>
