import { any, int, list, map, nullable, text, union } from '../../../state/kernel/shape/kinds.ts'
import { described, optional, struct, withDefault } from '../../../state/kernel/shape/members.ts'
import { configureCa, deleteCa, findCa, requireCa } from '../../../state/secrets/ssh/ca.ts'
import {
  issueKeyPair,
  type SignCall,
  signPublicKey,
} from '../../../state/secrets/ssh/certificate.ts'
import {
  clearZeroAddressRoles,
  createOneTimePassword,
  deleteSshRole,
  rolesForAddress,
  setZeroAddressRoles,
  useOneTimePassword,
  zeroAddressRoles,
} from '../../../state/secrets/ssh/passwords.ts'
import {
  caMembers,
  otpMembers,
  sshRoles,
  sshRoleView,
  writeSshRole,
} from '../../../state/secrets/ssh/roles.ts'
import { requireCaller } from '../dispatch/caller.ts'
import { envelopeLease } from '../envelope/lease.ts'
import { dataOutcome, emptyOutcome } from '../envelope/outcome.ts'
import { enveloped, envelopeOf, structEnvelope } from '../envelope/schemas.ts'
import { duration, flag, requiredText, textField, texts } from '../fields/field-kinds.ts'
import { refuse } from '../messages.ts'
import { type Call, type Engine, operationsOf } from '../operation.ts'
import { roleOperations } from '../role-operations.ts'

const operation = operationsOf({ spec: 'behaviour/secrets#ssh' })
const passwordOperation = operationsOf({ spec: 'behaviour/secrets#ssh-passwords' })

const seconds = (description: string, value: number) => withDefault(duration(description), value)

const roleFields = {
  key_type: requiredText('`ca` or `otp`'),
  default_user: textField('User name for requests that do not name a user'),
  allowed_users: textField('Comma-separated allowed users; `*` for all'),
  algorithm_signer: textField('Algorithm for signatures with RSA keys, or `default`'),
  allow_bare_domains: flag('Whether host certificates may be for the allowed domains themselves'),
  allow_host_certificates: flag('Whether host certificates are allowed'),
  allow_subdomains: flag('Whether host certificates may be for subdomains of the allowed domains'),
  allow_user_certificates: flag('Whether user certificates are allowed'),
  allow_user_key_ids: flag('Whether callers may choose the key id'),
  allowed_critical_options: textField('Comma-separated allowed critical options; all if left out'),
  allowed_domains: textField('Comma-separated allowed domains of hosts'),
  allowed_domains_template: flag('Whether the domains may contain placeholders'),
  allowed_extensions: textField('Comma-separated allowed extensions; all if left out'),
  allowed_user_key_lengths: withDefault(described(map(any), 'Allowed key lengths by key type'), {}),
  allowed_users_template: flag('Whether the users may contain placeholders'),
  default_critical_options: withDefault(
    described(map(text), 'Critical options of requests without critical options'),
    {},
  ),
  default_extensions: withDefault(
    described(map(text), 'Extensions of requests without extensions'),
    {},
  ),
  default_extensions_template: flag('Whether values of extensions may contain placeholders'),
  default_user_template: flag('Whether the default user may contain placeholders'),
  key_id_format: textField('Template of the key id'),
  max_ttl: seconds('Maximum validity', 0),
  ttl: seconds('Default validity', 0),
  not_before_duration: seconds(
    'Time by which the start of a certificate is before the current time',
    30,
  ),
  cidr_list: textField('Comma-separated networks of the hosts'),
  exclude_cidr_list: textField('Comma-separated networks that are excluded'),
  port: withDefault(described(int, 'Port of the hosts'), 22),
} as const

const signFields = {
  ttl: duration('Requested validity'),
  valid_principals: described(text, 'Comma-separated users or hosts of the certificate'),
  cert_type: withDefault(described(text, '`user` or `host`'), 'user'),
  key_id: textField('The key id'),
  critical_options: withDefault(described(map(text), 'Critical options'), {}),
  extensions: withDefault(described(map(text), 'Extensions'), {}),
} as const

const signedMembers = { serial_number: text, signed_key: text }

function signCall(call: Call<{ readonly role: string }>): SignCall {
  const { mount, params, process } = call
  return { mount, token: requireCaller(call), role: params.role, prefix: process.metricsPrefix }
}

/**
 * Returns the allowed key lengths by key type. In a request, the value for a type is a number or a
 * list of numbers.
 */
function parseKeyLengths(
  lengthsByType: Readonly<Record<string, unknown>>,
): Record<string, number[]> {
  const entries = Object.entries(lengthsByType).map(([name, value]) => [
    name,
    [value].flat().map(Number),
  ])
  return Object.fromEntries(entries)
}

/** The engine `ssh`, which signs keys and makes one-time passwords. */
export const sshEngine: Engine = {
  type: 'ssh',
  operations: [
    operation.read('sshReadCa', 'config/ca', {
      summary: 'Read the public key of the signing keys.',
      reply: enveloped({ public_key: text }),
      run: ({ world, mount }) => dataOutcome({ public_key: requireCa(world, mount).public_key }),
    }),
    operation.write('sshWriteCa', 'config/ca', {
      summary: 'Generate the signing keys, or store given keys.',
      secrets: { body: ['private_key'] },
      body: {
        private_key: textField('Private key in PEM or in the OpenSSH format'),
        public_key: textField('Public key as one line of an authorized_keys file'),
        generate_signing_key: described({ kind: 'bool' }, 'Whether to generate the key pair'),
        key_type: withDefault(
          described(text, '`rsa`, `ec`, `ed25519`, or an OpenSSH name of a key type'),
          'ssh-rsa',
        ),
        key_bits: withDefault(described(int, 'Key length in bits; 0 means the default'), 0),
      },
      failures: [500],
      reply: { 200: structEnvelope({ public_key: text }), 204: null },
      run({ world, mount, fields }) {
        const public_key = configureCa(world, mount, fields)
        return public_key === undefined ? emptyOutcome : dataOutcome({ public_key })
      },
    }),
    operation.delete('sshDeleteCa', 'config/ca', {
      summary: 'Delete the signing keys.',
      apply: ({ world, mount }) => deleteCa(world, mount),
    }),
    operation.read('sshReadPublicKey', 'public_key', {
      summary: 'Read the public key of the signing keys as text.',
      access: 'anyone',
      reply: { 200: text },
      mediaType: 'text/plain',
      run({ world, mount }) {
        const ca = findCa(world, mount)
        if (ca === undefined) throw refuse('nothing-here')
        return { kind: 'text', status: 200, contentType: 'text/plain', text: ca.public_key }
      },
    }),
    ...roleOperations({
      method: 'ssh',
      path: 'roles/:role',
      spec: 'behaviour/secrets#ssh',
      rows: sshRoles,
      fields: roleFields,
      envelope: envelopeOf(union(struct(caMembers), struct(otpMembers))),
      view: sshRoleView,
      info: ({ key_type }) => ({ key_type }),
      apply(world, mount, name, fields) {
        const allowed_user_key_lengths = parseKeyLengths(fields.allowed_user_key_lengths)
        writeSshRole(world, mount, name, { ...fields, allowed_user_key_lengths })
      },
      remove: deleteSshRole,
      listOverrides: { summary: 'List the names of the roles with their kinds.' },
      writeOverrides: { summary: 'Create or replace a role.', failures: [500] },
    }),
    operation.write('sshSign', 'sign/:role', {
      summary: 'Sign a public key.',
      body: {
        public_key: requiredText('Public key as one line of an authorized_keys file'),
        ...signFields,
      },
      reply: enveloped(signedMembers),
      run: (call) =>
        dataOutcome(signPublicKey(call.world, signCall(call), call.fields.public_key, call.fields)),
    }),
    operation.write('sshIssue', 'issue/:role', {
      summary: 'Generate a key pair and sign its public key.',
      secrets: { reply: ['data/private_key'] },
      body: {
        key_type: withDefault(described(text, '`rsa`, `ec` or `ed25519`'), 'rsa'),
        key_bits: withDefault(described(int, 'Key length in bits; 0 means the default'), 0),
        ...signFields,
      },
      failures: [500],
      reply: enveloped({ ...signedMembers, private_key: text, private_key_type: text }),
      run(call) {
        const { key_type, key_bits } = call.fields
        return dataOutcome(
          issueKeyPair(call.world, signCall(call), key_type, key_bits, call.fields),
        )
      },
    }),
    passwordOperation.write('sshCreatePassword', 'creds/:role', {
      summary: 'Create a one-time password for a user at an address, with a lease.',
      secrets: { reply: ['data/key'] },
      body: { ip: requiredText('IP address of the host'), username: textField('The user') },
      failures: [500],
      reply: enveloped({ ip: text, key: text, key_type: text, port: int, username: text }),
      run(call) {
        const { world, mount, namespace, path, params, fields } = call
        const caller = { mount, namespace, path, token: requireCaller(call) }
        const created = createOneTimePassword(world, caller, params.role, fields)
        const { lease, ip, key, port, username } = created
        return {
          kind: 'envelope',
          lease: envelopeLease(lease),
          data: { ip, key, key_type: 'otp', port, username },
        }
      },
    }),
    passwordOperation.write('sshVerifyPassword', 'verify', {
      summary: 'Verify a one-time password; each password can be verified only once.',
      access: 'anyone',
      secrets: { body: ['otp'] },
      body: { otp: requiredText('The password') },
      reply: enveloped({
        ip: optional(text),
        role_name: optional(text),
        username: optional(text),
        message: optional(text),
      }),
      run({ world, mount, fields: { otp } }) {
        if (otp === 'verify-echo-request') return dataOutcome({ message: 'verify-echo-response' })
        return dataOutcome(useOneTimePassword(world, mount, otp))
      },
    }),
    passwordOperation.write('sshLookUpRoles', 'lookup', {
      summary: 'List the roles that issue one-time passwords for an address.',
      body: { ip: requiredText('IP address of the host') },
      reply: enveloped({ roles: nullable(list(text)) }),
      run: ({ world, mount, fields: { ip } }) =>
        dataOutcome({ roles: rolesForAddress(world, mount, ip) }),
    }),
    passwordOperation.read('sshReadZeroAddress', 'config/zeroaddress', {
      summary: 'Read which roles are valid for every address.',
      reply: enveloped({ roles: list(text) }),
      run: ({ world, mount }) => dataOutcome({ roles: zeroAddressRoles(world, mount) }),
    }),
    passwordOperation.write('sshWriteZeroAddress', 'config/zeroaddress', {
      summary: 'Set which roles are valid for every address.',
      body: { roles: withDefault(texts('Names of roles'), []) },
      apply: ({ world, mount, fields: { roles } }) => setZeroAddressRoles(world, mount, roles),
    }),
    passwordOperation.delete('sshDeleteZeroAddress', 'config/zeroaddress', {
      summary: 'Clear the roles that are valid for every address.',
      apply: ({ world, mount }) => clearZeroAddressRoles(world, mount),
    }),
  ],
}
