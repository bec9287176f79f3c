import type { PkiRole } from './roles.ts'

/** Names in lower case. The index is the bit number of the usage (RFC 5280, section 4.2.1.3). */
const keyUsages = [
  'digitalsignature',
  'contentcommitment',
  'keyencipherment',
  'dataencipherment',
  'keyagreement',
  'certsign',
  'crlsign',
  'encipheronly',
  'decipheronly',
]

/** Returns the bit numbers of key usages in ascending order; skips unknown names. */
export function keyUsageBits(names: readonly string[]): number[] {
  const numbers = names.map((name) => keyUsages.indexOf(name.trim().toLowerCase()))
  return [...new Set(numbers)].filter((number) => number >= 0).sort((a, b) => a - b)
}

/** Object identifiers by names in lower case. */
const extendedUsages: Readonly<Record<string, string>> = {
  any: '2.5.29.37.0',
  serverauth: '1.3.6.1.5.5.7.3.1',
  clientauth: '1.3.6.1.5.5.7.3.2',
  codesigning: '1.3.6.1.5.5.7.3.3',
  emailprotection: '1.3.6.1.5.5.7.3.4',
  ipsecendsystem: '1.3.6.1.5.5.7.3.5',
  ipsectunnel: '1.3.6.1.5.5.7.3.6',
  ipsecuser: '1.3.6.1.5.5.7.3.7',
  timestamping: '1.3.6.1.5.5.7.3.8',
  ocspsigning: '1.3.6.1.5.5.7.3.9',
  microsoftservergatedcrypto: '1.3.6.1.4.1.311.10.3.3',
  netscapeservergatedcrypto: '2.16.840.1.113730.4.1',
}

type UsageSettings = Pick<
  PkiRole,
  | 'server_flag'
  | 'client_flag'
  | 'code_signing_flag'
  | 'email_protection_flag'
  | 'ext_key_usage'
  | 'ext_key_usage_oids'
>

/**
 * Returns the object identifiers that the flags, `ext_key_usage` and `ext_key_usage_oids` of a role
 * select. Skips unknown names.
 */
export function extendedUsageOids(role: UsageSettings): string[] {
  const names = [
    ...role.ext_key_usage.map((name) => name.trim().toLowerCase()),
    ...(role.server_flag ? ['serverauth'] : []),
    ...(role.client_flag ? ['clientauth'] : []),
    ...(role.code_signing_flag ? ['codesigning'] : []),
    ...(role.email_protection_flag ? ['emailprotection'] : []),
  ]
  const known = Object.entries(extendedUsages).filter(([name]) => names.includes(name))
  return [...new Set([...known.map(([, identifier]) => identifier), ...role.ext_key_usage_oids])]
}
