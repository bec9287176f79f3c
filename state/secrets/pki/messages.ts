import { defineMessages, refusals } from '../../kernel/refusal.ts'
import { callerErrorDetail, callerErrorRefusals, commonMessages } from '../common-messages.ts'
import { signedCrlMessages } from './signed-crls/messages.ts'

const absentCallerError = { kind: 'absent', detail: callerErrorDetail } as const

/** Texts of refusals and warnings (behaviour/secrets#pki). */
export const { table, message, refuse } = defineMessages({
  ...commonMessages,
  ...signedCrlMessages,
  ...refusals('invalid', {
    'pki-key-type-unknown': 'unknown key type {type}',
    'pki-rsa-short': 'RSA keys < 2048 bits are unsafe and not supported: got {bits}',
    'pki-key-bits': 'unsupported bit length for {kind} key: {bits}',
    'pki-signature-bits': 'unsupported hash signature algorithm: {bits}',
    'pki-format': 'the "format" path parameter must be "pem", "der", or "pem_bundle"',
    'pki-how': 'the "exported" path parameter must be "internal", "existing", exported" or "kms"',
    'pki-kms':
      'unable to determine managed key id: missing argument managed_key_name or managed_key_id',
    'pki-issuer-name-reserved': "reserved keyword 'default' can not be used as issuer name",
    'pki-key-name-reserved': "reserved keyword 'default' can not be used as key name",
    'pki-issuer-name-invalid': 'issuer name contained invalid characters',
    'pki-key-name-invalid': 'key name contained invalid characters',
    'pki-issuer-name-taken': 'issuer name already in use',
    'pki-key-name-taken': 'key name already in use',
    'pki-ip-invalid': 'the value "{value}" is not a valid IP address',
    'pki-uri-invalid': 'the provided URI Subject Alternative Name "{value}" is not a valid URI',
    'pki-not-after-invalid':
      'parsing time "{value}" as "2006-01-02T15:04:05Z07:00": cannot parse "{value}" as "2006"',
    'pki-existing-key-fields':
      'invalid parameter for the kms/existing path parameter, key_type nor key_bits arguments can be set in this mode',
    'pki-existing-key-unknown':
      'failed to lookup public key from existing key: unable to find PKI key for reference: {ref}',
    'pki-issuer-ref-unresolved':
      'Error resolving issuer reference: unable to find PKI issuer for reference: {ref}',
    'pki-no-default-issuer-open': 'no default issuer currently configured',
    'pki-other-san-unreadable':
      'could not parse requested other SAN: expected a semicolon in other SAN "{value}"',
    'pki-other-san-colon':
      'could not parse requested other SAN: expected a colon in other SAN "{value}"',
    'pki-other-san-type':
      'could not parse requested other SAN: only utf8 other SANs are supported; found non-supported type in other SAN "{value}"',
    'pki-role-ttl': '"ttl" value must be less than "max_ttl" value',
    'pki-role-oid': '"{value}" could not be parsed as a valid oid for an extended key usage',
    'pki-role-other-san':
      'error parsing allowed_other_sans: expected a semicolon in other SAN "{value}"',
    'pki-role-to-patch-unknown': 'Unable to fetch role entry to patch',
    'pki-role-unknown': 'unknown role: {name}',
    'pki-cn-refused': 'common name {name} not allowed by this role',
    'pki-name-refused': 'subject alternate name {name} not allowed by this role',
    'pki-mail-refused': 'email address {name} not allowed by this role',
    'pki-cn-missing':
      'the common_name field is required, or must be provided in a CSR with "use_csr_common_name" set to true, unless "require_cn" is set to false',
    'pki-ip-refused':
      'IP Subject Alternative Names are not allowed in this role, but was provided {what}',
    'pki-uri-not-allowed':
      'URI Subject Alternative Names are not allowed in this role, but were provided via {source}',
    'pki-uri-refused':
      'URI Subject Alternative Names were provided via {source} which are not valid for this role',
    'pki-other-oid-refused': 'other SAN OID {oid} not allowed by this role',
    'pki-other-value-refused': 'other SAN {value} not allowed for OID {oid} by this role',
    'pki-serial-number-refused': 'serial_number {value} not allowed by this role',
    'pki-user-id-refused': 'user_id {value} is not allowed by this role',
    'pki-any-key': 'role key type "any" not allowed for issuing certificates, only signing',
    'pki-csr-empty': '"csr" is empty',
    'pki-csr-undecodable': 'csr contains no data',
    'pki-csr-invalid': 'certificate request could not be parsed: {why}',
    'pki-csr-signature': 'request signature invalid',
    'pki-csr-key-unknown':
      'Refusing to sign CSR with empty PublicKey. This usually means the SubjectPublicKeyInfo field has an OID not recognized by Go, such as 1.2.840.113549.1.1.10 for rsaPSS.',
    'pki-skid-unreadable': 'cannot parse requested SKID value as hex: {why}',
    'pki-path-length-zero':
      'signing certificate has a max path length of zero, and cannot issue further CA certificates',
    'pki-csr-key-type': 'role requires keys of type {type}',
    'pki-csr-key-bits': "role requires a minimum of a {most}-bit key, but CSR's key is {bits} bits",
    'pki-beyond-issuer':
      'cannot satisfy request, as TTL would result in notAfter of {wanted} that is beyond the expiration of the CA certificate at {end}',
    'pki-revoke-nothing': 'The serial number or certificate to revoke must be provided.',
    'pki-revoke-both': 'Must provide either the certificate or the serial to revoke; not both.',
    'pki-revoke-unknown': 'certificate with serial {serial} not found.',
    'pki-revoke-key-missing': 'Must have private key to revoke via the /revoke-with-key path.',
    'pki-revoke-key-short':
      'Provided data for private_key was too short; perhaps a path was passed to the API rather than the contents of a PEM file?',
    'pki-revoke-issuer': 'adding issuer (id: {id}) to its own CRL is not allowed',
    'pki-certificate-undecodable': 'certificate could not be PEM-decoded',
    'pki-crl-duration': 'given {field} could not be decoded: {why}',
    'pki-crl-grace':
      'CRL auto-rebuilding grace period ({grace}) must be strictly shorter than CRL expiry ({expiry}) value when auto-rebuilding of CRLs is enabled',
    'pki-crl-delta-window':
      'CRL delta rebuild window ({interval}) must be strictly shorter than CRL expiry ({expiry}) value when delta CRLs are enabled',
    'pki-crl-delta-alone':
      'Delta CRLs cannot be enabled when auto rebuilding is disabled as the complete CRL is always regenerated!',
    'pki-crl-cluster':
      'Global, cross-cluster revocation queue cannot be enabled when auto rebuilding is disabled as the local cluster may not have the certificate entry!',
    'pki-bundle-missing': "'pem_bundle' and 'certificate' parameters were empty",
    'pki-import-short':
      'provided data for import was too short; perhaps a path was passed to the API rather than the contents of a PEM file',
    'pki-import-key':
      'private keys found in the PEM bundle but not allowed by the path; use /issuers/import/bundle',
    'pki-import-both': "'pem_bundle' and 'certificate' parameters were both provided",
    'pki-import-undecodable': 'provided PEM block contained no data',
    'pki-import-issuer': 'Error parsing issuer {index}: {why}\n{pem}\n',
    'pki-import-private-key':
      'Error parsing key {index}: failed to parse PEM block: got errors attempting to parse DER private key',
    'pki-ttl-and-not-after':
      'Either ttl or not_after should be provided. Both should not be provided in the same request.',
    'pki-usage-without-crl-sign':
      "This issuer's underlying certificate lacks the CRLSign KeyUsage value; unable to set CRLSigningUsage on this issuer as a result.",
    'pki-ocsp-expiry-negative': 'ocsp_expiry must be greater than or equal to 0 got: {value}',
    'pki-unified-paths-alone':
      'unified_crl_on_existing_paths cannot be enabled if unified_crl is disabled',
    'pki-cross-cluster-community':
      'Global, cross-cluster revocation queue (cross_cluster_revocation) can only be enabled on Service Enterprise.',
    'pki-unified-crl-community': 'unified_crl can only be enabled on Service Enterprise',
    'pki-cross-cluster-local':
      'Global, cross-cluster revocation queue (cross_cluster_revocation) cannot be enabled on local mounts.',
    'pki-unified-crl-local': 'unified_crl cannot be enabled on local mounts.',
    'pki-unified-crl-manual':
      'unified_crl=true requires auto_rebuild=true, as unified CRLs cannot be rebuilt on every revocation.',
    'pki-url-invalid':
      'invalid URL found in Authority Information Access (AIA) parameter {field}: {value}',
    'pki-crl-algorithm-unknown': 'Unknown signature algorithm value: 0 - valid values are {names}',
    'pki-issuer-revoked':
      'This issuer was revoked; unable to modify its usage to include certificate signing again. Reissue this certificate (preferably with a new key) and modify that entry instead.',
    'pki-chain-self': 'expected first cert in chain to be a self-reference, but was: {ref}/{id}',
    'pki-usage-unknown':
      'Unable to parse specified usages: [{values}] - valid values are crl-signing,issuing-certificates,ocsp-signing,read-only',
    'pki-leaf-behavior':
      'Unknown value for field `leaf_not_after_behavior`. Possible values are `err`, `truncate`, and `permit`.',
    'pki-default-issuer-invalid':
      "Invalid issuer specification; must be non-empty and can't be 'default'.",
    'pki-certificate-unparsable': 'error parsing certificate: {why}',
    'pki-no-authority': 'given certificate is not a CA certificate',
    'pki-not-self-issued': 'given certificate is not self-issued',
    'pki-acme-unsupported': 'ACME is not supported here',
    'pki-tidy-buffer-zero': '{name} must be greater than zero',
    'pki-tidy-buffer-short': 'given {name} must be at least one second; got: {value}',
    'pki-tidy-pause': 'Error parsing pause_duration: {why}',
    'pki-auto-tidy-pause': 'unable to parse given pause_duration: {why}',
    'pki-tidy-pause-negative': 'received invalid, negative pause_duration',
    'pki-auto-tidy-nothing':
      'Auto-tidy enabled but no tidy operations were requested. Enable at least one tidy operation to be run ({names}).',
    'pki-tidy-metrics':
      'Can not publish a running storage metrics count to metrics without first maintaining that count.  Enable `maintain_stored_certificate_counts` to enable `publish_stored_certificate_count_metrics`.',
    'pki-default-key-invalid':
      "Invalid key specification; must be non-empty and can't be 'default'.",
    'pki-default-key-unresolved':
      'Error resolving issuer reference: unable to find PKI key for reference: {ref}',
    'pki-key-spec': 'Validation for key_type, key_bits failed: {why}',
    'pki-key-import-undecodable': 'provided PEM block contained no data',
    'pki-key-import-several':
      'only a single key can be present within the pem_bundle for importing',
    'pki-key-import-unreadable':
      'failed to parse PEM block: got errors attempting to parse DER private key',
    'pki-new-key-name-invalid': 'new key name outside of valid character limits',
    'pki-key-in-use': 'Failed to Delete Key.  Key in Use by Issuer: {issuer}',
    'pki-times-reversed':
      "The certificate's Not Before ({before}) is later than the certificate's Not After ({after})",
  }),
  ...callerErrorRefusals({
    'pki-path-length':
      'unable to create certificate: x509: invalid MaxPathLen, must be greater or equal to -1',
    'pki-cn-type': 'cn_validations value incorrect: unknown type: `{type}`',
    'pki-cn-disabled':
      'cn_validations value incorrect: cannot specify `disabled` along with `email` or `hostname`',
    'pki-no-ca':
      'could not fetch the CA certificate (was one set?): no default issuer currently configured',
    'pki-usage-missing':
      'error fetching CA certificate: error while attempting to use issuer {id}: requested usage {usage} for issuer [id:{id} / name:{name}] but only had usage {usages}',
    'pki-revoke-short':
      'provided certificate data was too short; perhaps a path was passed to the API rather than the contents of a PEM file',
    'pki-signed-path-length':
      'error signing cert: unable to create certificate: x509: invalid MaxPathLen, must be greater or equal to -1',
    'pki-ca-without-key':
      'could not fetch the CA certificate (was one set?): unable to fetch corresponding key for issuer {id}; unable to use this issuer for signing',
    'pki-algorithms-differ':
      "signing certificate's public key algorithm ({ofSigner}) does not match submitted certificate's ({ofCertificate}), and require_matching_certificate_algorithms is true",
    'pki-cluster-path': 'invalid, non-URL path given to cluster: {value}',
    'pki-cluster-aia-path': 'invalid, non-URL aia_path given to cluster: {value}',
    'pki-addresses-no-cluster':
      'unable to template AIA URLs as we lack local cluster address information ({field})',
    'pki-addresses-no-issuer':
      'unable to template AIA URLs as we lack an issuer_id for this operation',
    'pki-addresses-invalid': 'error validating templated {field}; invalid URI: {value}',
    'pki-addresses-unfilled':
      'error fetching CA certificate: unable to fetch AIA URL information: {why}',
    'pki-addresses-of-root':
      "unable to parse AIA URL information: {why}\nUsing templated AIA URL's {field} field when generating root certificates is not supported.",
    'pki-acme-empty':
      "{field} must take a non-zero length value; specify '*' as the value to allow anything or specify enabled=false to disable ACME entirely",
    'pki-acme-directory-policy':
      'invalid default_directory_policy: string {policy} not a valid Default Directory Policy',
    'pki-acme-eab-policy':
      "invalid eab policy name provided, valid values are 'not-required', 'new-account-required', 'always-required'",
    'pki-kms-raised':
      'unable to determine managed key id: missing argument managed_key_name or managed_key_id',
    'pki-revoke-no-pem': 'certificate contains no PEM data',
    'pki-revoke-unparsable': 'certificate could not be parsed: {why}',
    'pki-revoke-unequal':
      "certificate with same serial but unequal value already present in this cluster's storage; refusing to revoke",
    'pki-revoke-foreign':
      'unable to verify signature on presented cert from any present issuer in this mount; certificates from previous CAs will need to have their issuing CA and key re-imported if revocation is necessary',
    'pki-revoke-key-undecodable': 'provided key PEM block contained no data or failed to parse',
    'pki-revoke-key-unreadable':
      'failed to parse provided private key: got errors attempting to parse DER private key',
    'pki-revoke-key-type': "provided private key type does not match certificate's public key type",
    'pki-revoke-key-other': "provided private key does not match certificate's public key",
    'pki-crl-algorithm-unfit':
      'unable to use issuer of type {type} to sign with {algorithm} key type',
    'pki-no-default-crl': 'no default issuer currently configured',
  }),
  'pki-issuer-unknown': {
    ...absentCallerError,
    text: 'unable to find PKI issuer for reference: {ref}',
  },
  'pki-ca-unknown': {
    ...absentCallerError,
    text: 'could not fetch the CA certificate (was one set?): unable to find PKI issuer for reference: {ref}',
  },
  'pki-no-default-issuer': { ...absentCallerError, text: 'no default issuer currently configured' },
  'pki-no-default-key': { ...absentCallerError, text: 'no default key currently configured' },
  'pki-crl-absent': {
    ...absentCallerError,
    text: 'unable to find CRL for issuer: id:{id}/ref:{ref}',
  },
  'pki-key-unknown': { ...absentCallerError, text: 'unable to find PKI key for reference: {ref}' },
  'pki-open-path-unsupported': { kind: 'absent', text: 'unsupported path' },
  'pki-no-addresses': {
    text: "This mount hasn't configured any authority information access (AIA) fields; this may make it harder for systems to find missing certificates in the chain or to validate revocation status of certificates. Consider updating /config/urls or the newly generated issuer with this information.",
  },
  'pki-no-addresses-of-request': {
    text: "This mount hasn't configured any authority information access (AIA) fields; this may make it harder for systems to find missing certificates in the chain or to validate revocation status of certificates. Consider updating /config/urls or the newly generated issuer with this information. Since this certificate is an intermediate, it might be useful to regenerate this certificate after fixing this problem for the root mount.",
  },
  'pki-outlives-issuer': {
    text: "The expiration time for the signed certificate is after the CA's expiration time. If the new certificate is not treated as a root, validation paths with the certificate past the issuing CA's expiration time will fail.",
  },
  'pki-default-issuer-deleted': {
    text: 'Deleted issuer {id} (via issuer_ref {ref}); this was configured as the default issuer. Operations without an explicit issuer will not work until a new default is configured.',
  },
  'pki-default-key-deleted': {
    text: 'Deleted key {id} (via key_ref {ref}); this was configured as the default key. Operations without an explicit key will not work until a new default is configured.',
  },
  'pki-key-name-deleted': {
    text: "Name successfully deleted, you will now need to reference this key by it's Id: {id}",
  },
  'pki-key-known': { text: 'Key already imported, use key/ endpoint to update name.' },
  'pki-issuer-without-key': {
    text: 'This selected default issuer has no key associated with it. Some operations like issuing certificates and signing CRLs will be unavailable with the requested default issuer until a key is imported or the default issuer is changed.',
  },
  'pki-default-unchanged': {
    text: 'Default issuer left unchanged: could not select new issuer automatically as multiple imported issuers had key material in Service.',
  },
  'pki-default-without-key': {
    text: 'The default issuer has no key associated with it. Some operations like issuing certificates and signing CRLs will be unavailable with the requested default issuer until a key is imported or the default issuer is changed.',
  },
  'pki-default-uncertain': {
    text: 'The imported bundle contained multiple certs matching keys, the default issuer that was selected should be verified and manually changed if incorrect.',
  },
  'pki-no-subject': {
    text: 'This issuer certificate was generated without a Subject; this makes it likely that issuing leaf certs with this certificate will cause TLS validation libraries to reject this certificate.',
  },
  'pki-ttl-capped': {
    text: 'TTL "{ttl}" is longer than permitted maxTTL "{most}", so maxTTL is being used',
  },
  'pki-role-issuer-unknown': {
    text: 'Issuing Certificate was set to {ref} but no issuing certificate currently has that name',
  },
  'pki-role-no-default-issuer': {
    text: 'Issuing Certificate was set to default, but no default issuing certificate (configurable at /config/issuers) is currently set',
  },
  'pki-cn-of-csr': {
    text: 'the common_name field was provided but the role is set with "use_csr_common_name" set to true',
  },
  'pki-names-of-csr': {
    text: 'the alt_names field was provided but the role is set with "use_csr_sans" set to true',
  },
  'pki-csr-constraints-ignored': {
    text: 'specified CSR contained a Basic Constraints extension that was ignored during issuance',
  },
  'pki-generated-path-zero': {
    text: 'Max path length of the generated certificate is zero. This certificate cannot be used to issue intermediate CA certificates.',
  },
  'pki-signed-path-zero': {
    text: 'Max path length of the signed certificate is zero. This certificate cannot be used to issue intermediate CA certificates.',
  },
  'pki-issuance-may-fail': {
    text: 'issuance may fail: {why}\n\nConsider setting the cluster-local address if it is not already set.',
  },
  'pki-root-addresses-ignored': {
    text: 'When generating root CA, found global AIA configuration with issuer_id template unsuitable for root generation. This AIA configuration has been ignored. To include AIA on this root CA, set the global AIA configuration to not include issuer_id and instead to refer to a static issuer name.',
  },
  'pki-tidy-nothing': {
    text: 'Manual tidy requested but no tidy operations were set. Enable at least one tidy operation to be run ({names}).',
  },
  'pki-tidy-not-running': {
    text: 'Tidy operation cannot be cancelled as none is currently running.',
  },
  'pki-revoked-self-signed': {
    text: "This issuer is a self-signed (potentially root) certificate. This means it may not be considered revoked if there is not an external, cross-signed variant of this certificate. This issuer's serial number will not appear on its own CRL.",
  },
  'pki-revoked-no-parent': {
    text: "This issuer lacks another parent issuer within the mount. This means it will not appear on any other CRLs and may not be considered revoked by clients. Consider adding this issuer to its issuer's CRL as well if it is not self-signed.",
  },
  'pki-revoked-default': {
    text: 'This issuer is currently configured as the default issuer for this mount; operations such as certificate issuance may not work until a new default issuer is selected.',
  },
  'pki-roles-reference': { text: '{count} roles reference {name}' },
  'pki-delta-off': {
    text: 'requested rebuild of delta CRL when delta CRL is not enabled; this is a no-op',
  },
  'pki-pss-crl': {
    text: 'Issuer uses a PSS Revocation Signature Algorithm. This algorithm will be downgraded to PKCS#1v1.5 signature scheme on OCSP responses, due to limitations in the OCSP library.',
  },
  'pki-revoke-expired': {
    text: 'certificate with serial {serial} already expired; refusing to add to CRL',
  },
  'pki-root-deleted': {
    text: 'DELETE /root deletes all keys and issuers; prefer the new DELETE /key/:key_ref and DELETE /issuer/:issuer_ref for finer granularity, unless removal of all keys and issuers is desired.',
  },
})
