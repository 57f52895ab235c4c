// OpenSSL 3 for Swift. What RillPeer uses is seen as it is; macros, which Swift does not see, have a function each.
#pragma once

#include <openssl/bio.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <sys/time.h>

static const int COpenSSL_CB_READ_ALERT = SSL_CB_READ_ALERT;
static const int COpenSSL_CB_WRITE_ALERT = SSL_CB_WRITE_ALERT;
static const int COpenSSL_VERIFY_REQUIRED = SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT;
static const unsigned long COpenSSL_OPTIONS = SSL_OP_NO_QUERY_MTU | SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION |
    SSL_OP_NO_COMPRESSION | SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_NO_ENCRYPT_THEN_MAC;
static const int COpenSSL_BIO_READ_AGAIN = BIO_FLAGS_READ | BIO_FLAGS_SHOULD_RETRY;

static inline EVP_PKEY *COpenSSL_EC_gen(const char *curve) { return EVP_EC_gen(curve); }

static inline int COpenSSL_CTX_set_version(SSL_CTX *context, int version) {
    return SSL_CTX_set_min_proto_version(context, version) && SSL_CTX_set_max_proto_version(context, version);
}

static inline long COpenSSL_CTX_set1_groups_list(SSL_CTX *context, const char *list) {
    return SSL_CTX_set1_groups_list(context, list);
}

static inline long COpenSSL_CTX_set1_sigalgs_list(SSL_CTX *context, const char *list) {
    return SSL_CTX_set1_sigalgs_list(context, list);
}

static inline void COpenSSL_CTX_disable_sessions(SSL_CTX *context) {
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
}

static inline void COpenSSL_set_max_cert_list(SSL *ssl, long size) { SSL_set_max_cert_list(ssl, size); }

static inline long COpenSSL_set_link_mtu(SSL *ssl, long mtu) { return DTLS_set_link_mtu(ssl, mtu); }

static inline long COpenSSL_get_timeout(SSL *ssl, struct timeval *left) { return DTLSv1_get_timeout(ssl, left); }

static inline long COpenSSL_handle_timeout(SSL *ssl) { return DTLSv1_handle_timeout(ssl); }
