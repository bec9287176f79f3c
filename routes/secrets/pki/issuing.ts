import { int, list, text } from '../../../state/kernel/shape/kinds.ts'
import { described, optional, withDefault } from '../../../state/kernel/shape/members.ts'
import { parseRequest } from '../../../state/secrets/pki/csr.ts'
import { formatCertificate } from '../../../state/secrets/pki/issuers.ts'
import {
  type IssuedCertificate,
  issueByRole,
  signVerbatim,
} from '../../../state/secrets/pki/issuing.ts'
import { formatPrivateKey, pkiKeyTypeOf } from '../../../state/secrets/pki/key-making.ts'
import { refuse } from '../../../state/secrets/pki/messages.ts'
import { isSelfIssued, readCertificate } from '../../../state/secrets/pki/parsed.ts'
import { leaseCertificate } from '../../../state/secrets/pki/revocation.ts'
import {
  defaultPkiRole,
  type PkiRole,
  pkiRoles,
  withFilledTemplates,
} from '../../../state/secrets/pki/roles.ts'
import { checkFormat, type RequestedFormat } from '../../../state/secrets/pki/roots.ts'
import { pemBlocks, toPem } from '../../../state/secrets/pki/signing.ts'
import { envelopeLease } from '../envelope/lease.ts'
import type { SecretsOutcome } from '../envelope/outcome.ts'
import { enveloped } from '../envelope/schemas.ts'
import { flag, requiredText, textField, texts } from '../fields/field-kinds.ts'
import type { FieldValues } from '../fields/fields.ts'
import { type Call, operationsOf, type SecretsOperation } from '../operation.ts'
import { formatFields, lifetimeFields, nameFields } from './schemas.ts'

const operation = operationsOf({ spec: 'behaviour/secrets#pki-issuing' })

const issueFields = {
  ...nameFields,
  ...lifetimeFields,
  ...formatFields,
  serial_number: textField(
    'Serial number attribute of the subject; not the serial number of the certificate',
  ),
  user_ids: withDefault(texts('User ids of the subject'), []),
  remove_roots_from_chain: flag('Whether self-signed certificates are removed from the chain'),
} as const

const csr = requiredText('Signing request in PEM')

const signFields = { ...issueFields, csr } as const

const verbatimFields = {
  ...signFields,
  key_usage: withDefault(texts('Key usages'), defaultPkiRole.key_usage),
  ext_key_usage: withDefault(texts('Extended key usages'), []),
  ext_key_usage_oids: withDefault(texts('Extended key usages as object identifiers'), []),
  signature_bits: withDefault(described(int, 'Hash length of RSA signatures in bits'), 0),
  use_pss: flag('Whether RSA signatures use PSS padding'),
} as const

const issueReply = enveloped({
  ca_chain: optional(list(text)),
  certificate: text,
  expiration: int,
  issuing_ca: text,
  private_key: optional(text),
  private_key_type: optional(text),
  serial_number: text,
})

/**
 * Returns the role that a path names, with its templates filled in for the caller's token. Throws
 * an `invalid` refusal for an unknown role.
 */
function requireRole(call: Pick<Call, 'world' | 'mount' | 'token'>, name: string): PkiRole {
  const { world, mount, token } = call
  const role = pkiRoles.find(world, mount, name)
  if (role === undefined) throw refuse('pki-role-unknown', { name })
  return withFilledTemplates(world, role, token)
}

type RunCall<F> = Omit<Call, 'fields' | 'params'> & {
  readonly fields: F
  readonly params: Readonly<Record<string, string>>
}

type IssueCall = RunCall<FieldValues<typeof issueFields>>
type SignCall = RunCall<FieldValues<typeof signFields>>
type VerbatimCall = RunCall<FieldValues<typeof verbatimFields>>

function issue(call: IssueCall): SecretsOutcome {
  const { world, mount, params, fields } = call
  const role = requireRole(call, params['role'] ?? '')
  checkFormat(fields.format)
  const ref = params['issuer_ref'] ?? role.issuer_ref
  return issuedOutcome(call, role, issueByRole(world, mount, role, ref, fields))
}

function sign(call: SignCall): SecretsOutcome {
  const { world, mount, params, fields } = call
  const role = requireRole(call, params['role'] ?? '')
  checkFormat(fields.format)
  const ref = params['issuer_ref'] ?? role.issuer_ref
  const request = parseRequest(fields.csr)
  return issuedOutcome(call, role, issueByRole(world, mount, role, ref, fields, request))
}

function verbatimOutcome(call: VerbatimCall): SecretsOutcome {
  const { world, mount, params, fields } = call
  const name = params['role']
  const storedRole = name === undefined ? defaultPkiRole : requireRole(call, name)
  const { ttl, max_ttl, not_before_duration, issuer_ref, no_store, generate_lease } = storedRole
  const { key_usage, ext_key_usage, ext_key_usage_oids, signature_bits, use_pss } = fields
  const role: PkiRole = {
    ...defaultPkiRole,
    ...{ ttl, max_ttl, not_before_duration, issuer_ref, no_store, generate_lease },
    ...{ key_usage, ext_key_usage, ext_key_usage_oids, signature_bits, use_pss },
    server_flag: false,
    client_flag: false,
  }
  checkFormat(fields.format)
  const ref = params['issuer_ref'] ?? role.issuer_ref
  const request = parseRequest(fields.csr)
  return issuedOutcome(call, role, signVerbatim(world, mount, role, ref, fields, request))
}

/**
 * Returns the reply with an issued certificate. Creates a lease if the role has `generate_lease`
 * and the call has a token.
 */
function issuedOutcome(call: IssueCall, role: PkiRole, issued: IssuedCertificate): SecretsOutcome {
  const { world, mount, namespace, path, token, fields } = call
  const reply = { kind: 'envelope', data: issuedData(issued, fields), warnings: issued.warnings }
  if (!role.generate_lease || token === undefined) return { ...reply, kind: 'envelope' }
  const lease = leaseCertificate(world, { mount, namespace, path, token }, issued.parsed)
  return { ...reply, kind: 'envelope', lease: envelopeLease(lease) }
}

function issuedData(
  { parsed, issuer, chain, key }: IssuedCertificate,
  fields: RequestedFormat & { readonly remove_roots_from_chain: boolean },
): object {
  const { format } = fields
  const chainMembers = fields.remove_roots_from_chain ? chain.filter((pem) => !isRoot(pem)) : chain
  const certificate = toPem('CERTIFICATE', parsed.der)
  const private_key = key && formatPrivateKey(key, format, fields.private_key_format)
  const all = [...(private_key === undefined ? [] : [private_key]), certificate, ...chainMembers]
  return {
    ...(chainMembers.length > 0 && {
      ca_chain: chainMembers.map((pem) => formatCertificate(pem, format)),
    }),
    certificate: format === 'pem_bundle' ? all.join('\n') : formatCertificate(certificate, format),
    expiration: Math.floor(parsed.notAfter / 1000),
    issuing_ca: formatCertificate(issuer.certificate, format),
    ...(key !== undefined && { private_key, private_key_type: pkiKeyTypeOf(key) }),
    serial_number: parsed.serial,
  }
}

function isRoot(pem: string): boolean {
  return isSelfIssued(readCertificate(pemBlocks(pem)[0]?.der ?? Buffer.alloc(0)))
}

const issuingOptions = {
  failures: [500],
  secrets: { reply: ['data/private_key'] },
  reply: issueReply,
} as const

/**
 * Operations that issue certificates. Each exists twice: directly below the mount, and below the
 * path of an issuer.
 */
export const issuingOperations: readonly SecretsOperation[] = [
  ['', ''] as const,
  ['OfIssuer', 'issuer/:issuer_ref/'] as const,
].flatMap(([suffix, prefix]) => [
  operation.write(`pkiIssue${suffix}`, `${prefix}issue/:role`, {
    ...issuingOptions,
    summary: 'Issue a certificate with a new key.',
    body: issueFields,
    run: issue,
  }),
  operation.write(`pkiSign${suffix}`, `${prefix}sign/:role`, {
    ...issuingOptions,
    summary: 'Issue a certificate for a signing request, by a role.',
    body: signFields,
    run: sign,
  }),
  operation.write(`pkiSignVerbatim${suffix}`, `${prefix}sign-verbatim`, {
    ...issuingOptions,
    summary: 'Issue a certificate for a signing request, as it is.',
    body: verbatimFields,
    run: verbatimOutcome,
  }),
  operation.write(`pkiSignVerbatimByRole${suffix}`, `${prefix}sign-verbatim/:role`, {
    ...issuingOptions,
    summary: 'Issue a certificate for a signing request, as it is, with the times of a role.',
    body: verbatimFields,
    run: verbatimOutcome,
  }),
])
