import { bool, list, text } from '../../../state/kernel/shape/kinds.ts'
import { described } from '../../../state/kernel/shape/members.ts'
import {
  type AcmeConfig,
  acmeConfig,
  acmeMembers,
  writeAcmeConfig,
} from '../../../state/secrets/pki/acme.ts'
import { dataOutcome, keysOutcome, type SecretsOutcome } from '../envelope/outcome.ts'
import { enveloped, keysEnvelope } from '../envelope/schemas.ts'
import { operationsOf } from '../operation.ts'

const operation = operationsOf({ spec: 'behaviour/secrets#pki-acme' })

const reply = enveloped(acmeMembers)

function acmeOutcome({ wal: _, ...config }: AcmeConfig): SecretsOutcome {
  return dataOutcome(config)
}

/**
 * Operations on the settings of ACME and on the keys for external accounts. ACME cannot be turned
 * on, and no such keys exist.
 */
export const acmeOperations = [
  operation.read('pkiReadAcme', 'config/acme', {
    summary: 'Read the settings of ACME.',
    reply,
    run: ({ world, mount }) => acmeOutcome(acmeConfig(world, mount)),
  }),
  operation.write('pkiWriteAcme', 'config/acme', {
    summary: 'Change the given settings of ACME, which cannot be turned on.',
    body: {
      allow_role_ext_key_usage: described(bool, 'Stored and returned, but without effect'),
      allowed_issuers: described(list(text), 'Stored and returned, but without effect'),
      allowed_roles: described(list(text), 'Stored and returned, but without effect'),
      default_directory_policy: described(text, '`forbid`, `sign-verbatim` or `role:<name>`'),
      dns_resolver: described(text, 'Stored and returned, but without effect'),
      eab_policy: described(text, '`not-required`, `new-account-required`, `always-required`'),
      enabled: described(bool, 'Must be false'),
    },
    failures: [500],
    reply,
    run: ({ world, mount, fields }) => acmeOutcome(writeAcmeConfig(world, mount, fields)),
  }),
  operation.list('pkiListAcmeKeys', 'eab', {
    summary: 'List the unused keys of external accounts; there are none.',
    reply: { 200: keysEnvelope },
    run: () => keysOutcome([]),
  }),
]
