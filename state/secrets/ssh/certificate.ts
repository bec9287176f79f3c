import type { World } from '../../kernel/worlds/world.ts'
import { entityOf } from '../identity/entity-policies.ts'
import { templateValue } from '../identity/template-values.ts'
import { defaultLeaseTtl, type Mount, maxLeaseTtl } from '../mounts/mounts.ts'
import { templateOf } from '../policies/templates.ts'
import type { Token } from '../tokens/rows.ts'
import { makeKeyPair, parseOrRefuse, requireCa, signingKey, sshKeySpec } from './ca.ts'
import { refuse } from './messages.ts'
import { type SshRole, sshRoles } from './roles.ts'
import {
  keyHash,
  keyLine,
  parsePublicKey,
  publicBlob,
  type SshPublicKey,
  sshSignature,
  string,
  uint32,
  uint64,
} from './wire.ts'

/** Members of a request to sign or to issue a certificate. `ttl` is in seconds. */
interface SignRequest {
  readonly ttl?: number | undefined
  readonly valid_principals?: string | undefined
  readonly cert_type: string
  readonly key_id: string
  readonly critical_options: Readonly<Record<string, string>>
  readonly extensions: Readonly<Record<string, string>>
}

export interface SignCall {
  readonly mount: Mount
  readonly token: Token
  readonly role: string
  /** Prefix of the key ids of certificates, unless the role has a format for them. */
  readonly prefix: string
}

interface SshCertificate {
  /** Hexadecimal, without leading zeros. */
  readonly serial_number: string
  readonly signed_key: string
}

/**
 * Returns a certificate for a public key; stores nothing.
 *
 * @throws Refusal `invalid` for the first check that fails, in the order of behaviour/secrets#ssh
 */
export function signPublicKey(
  world: World,
  call: SignCall,
  publicKey: string,
  request: SignRequest,
): SshCertificate {
  const role = sshRoles.find(world, call.mount, call.role)
  if (role === undefined) throw refuse('ssh-role-to-sign-unknown', { name: call.role })
  if (publicKey === '') throw refuse('ssh-public-key-missing')
  const key = parseOrRefuse(() => parsePublicKey(publicKey), 'ssh-public-key-unreadable')
  checkKey(role, key)
  return certify(world, call, role, key, request)
}

/**
 * Returns a new private key and a certificate for it; stores neither. Throws an `invalid` refusal
 * for an unknown role, a role that does not sign keys, an unknown key type or length, and a
 * certificate that the role does not allow.
 */
export function issueKeyPair(
  world: World,
  call: SignCall,
  type: string,
  bits: number,
  request: SignRequest,
): SshCertificate & { readonly private_key: string; readonly private_key_type: string } {
  const role = sshRoles.find(world, call.mount, call.role)
  if (role === undefined) throw refuse('ssh-role-to-issue-unknown', { name: call.role })
  if (role.key_type !== 'ca') throw refuse('ssh-role-not-for-keys', { type: role.key_type })
  const { line, text } = makeKeyPair(world, sshKeySpec(type, bits))
  const certificate = certify(world, call, role, parsePublicKey(line), request)
  return { ...certificate, private_key: text, private_key_type: type }
}

const kindNames: Readonly<Record<string, readonly string[]>> = {
  rsa: ['rsa', 'ssh-rsa'],
  dsa: ['dsa', 'ssh-dss'],
  ecdsa: ['ecdsa', 'ec'],
  ed25519: ['ed25519', 'ssh-ed25519'],
}

/** Throws an `invalid` refusal for a key whose kind or length the role does not allow. */
function checkKey({ allowed_user_key_lengths: allowed }: SshRole, key: SshPublicKey): void {
  const { kind, bits, algorithm } = key
  if (Object.keys(allowed).length === 0) return
  const allowedLengths = (kindNames[kind] ?? []).flatMap((name) => allowed[name] ?? [])
  const isKindAllowed = [...(kindNames[kind] ?? []), algorithm].some((name) =>
    Object.hasOwn(allowed, name),
  )
  if (!isKindAllowed) throw refuse('ssh-key-not-allowed', { type: kind })
  const isNamed = kind === 'ecdsa' && Object.hasOwn(allowed, algorithm)
  if (kind === 'ed25519' || isNamed || allowedLengths.includes(bits)) return
  throw refuse('ssh-key-size-not-allowed', { bits })
}

function certify(
  world: World,
  call: SignCall,
  role: SshRole,
  key: SshPublicKey,
  request: SignRequest,
): SshCertificate {
  const keyId = keyIdOf(call, role, key, request.key_id)
  const type = certificateType(role, request.cert_type)
  const principals = principalsOf(world, call.token, role, request, type)
  const ttl = ttlOf(call.mount, role, request.ttl)
  const options = optionsOf(role, request.critical_options)
  const extensions = extensionsOf(world, call.token, role, request.extensions)
  const ca = requireCa(world, call.mount)
  const signer = world.derived(ca, signingKey)
  const serial = Buffer.from(world.ids.bytes(8)).readBigUInt64BE()
  const now = Math.floor(world.clock.now() / 1000)
  const nameLength = 4 + key.blob.readUInt32BE(0)
  const body = Buffer.concat([
    string(`${key.algorithm}-cert-v01@openssh.com`),
    string(world.ids.bytes(32)),
    key.blob.subarray(nameLength),
    uint64(serial),
    uint32(type),
    string(keyId),
    string(Buffer.concat(principals.map((name) => string(name)))),
    uint64(BigInt(Math.max(0, now - role.not_before_duration))),
    uint64(BigInt(now + ttl)),
    string(encodeOptions(options)),
    string(encodeOptions(extensions)),
    string(''),
    string(publicBlob(signer)),
  ])
  const signature = string(sshSignature(body, signer, role.algorithm_signer))
  return {
    serial_number: serial.toString(16),
    signed_key: keyLine(Buffer.concat([body, signature])),
  }
}

/**
 * Encodes critical options or extensions, sorted by name (PROTOCOL.certkeys of OpenSSH). Each value
 * is a string inside a string.
 */
function encodeOptions(options: Readonly<Record<string, string>>): Buffer {
  const sorted = Object.entries(options).sort(([a], [b]) => (a < b ? -1 : 1))
  return Buffer.concat(
    sorted.flatMap(([name, value]) => [string(name), string(value === '' ? '' : string(value))]),
  )
}

function keyIdOf(call: SignCall, role: SshRole, key: SshPublicKey, requested: string): string {
  if (requested !== '') {
    if (!role.allow_user_key_ids) throw refuse('ssh-key-id-not-allowed')
    return requested
  }
  const { display_name } = call.token
  const defaultKeyId =
    display_name === '' ? '{{public_key_hash}}' : '{{token_display_name}}-{{public_key_hash}}'
  const format = role.key_id_format || `${call.prefix}-${defaultKeyId}`
  return format
    .replaceAll('{{token_display_name}}', () => display_name)
    .replaceAll('{{role_name}}', () => call.role)
    .replaceAll('{{public_key_hash}}', () => keyHash(key))
}

const userType = 1
const hostType = 2

function certificateType(role: SshRole, type: string): number {
  if (type !== 'user' && type !== 'host') throw refuse('ssh-cert-type-unknown')
  const isAllowed = type === 'user' ? role.allow_user_certificates : role.allow_host_certificates
  if (!isAllowed) throw refuse('ssh-cert-type-not-allowed', { type })
  return type === 'user' ? userType : hostType
}

const splitNames = (text: string): string[] =>
  [...new Set(text.split(',').map((name) => name.trim()))].filter((name) => name !== '').sort()

function principalsOf(
  world: World,
  token: Token,
  role: SshRole,
  { valid_principals }: SignRequest,
  type: number,
): string[] {
  const isHost = type === hostType
  const defaultPrincipals = isHost ? '' : role.default_user
  const principals = splitNames(
    valid_principals ??
      (role.default_user_template
        ? fillTemplate(world, token, defaultPrincipals)
        : defaultPrincipals),
  )
  if (principals.length === 0) return []
  const list = isHost ? role.allowed_domains : role.allowed_users
  const isTemplate = isHost ? role.allowed_domains_template : role.allowed_users_template
  const allowed = splitNames(isTemplate ? fillTemplate(world, token, list) : list)
  if (allowed.length === 0) throw refuse('ssh-principals-none')
  if (list === '*') return principals
  const isAllowed = (name: string) =>
    isHost
      ? allowed.some(
          (domain) =>
            (role.allow_bare_domains && domain === name) ||
            (role.allow_subdomains && name.endsWith(`.${domain}`)),
        )
      : allowed.includes(name)
  const refused = principals.find((name) => !isAllowed(name))
  if (refused !== undefined) throw refuse('ssh-principal-not-allowed', { principal: refused })
  return principals
}

/**
 * Fills in a template with values of the caller's entity. Returns the template unchanged if the
 * caller has no entity or the template has nothing to fill in. Throws an `invalid` refusal for
 * unbalanced braces and for a value that the entity does not have.
 */
function fillTemplate(world: World, token: Token, template: string): string {
  const entity = entityOf(world, token)
  const parsed = templateOf(template)
  if (entity === undefined || parsed === undefined) return template
  const templateRefusal = (why: string) => refuse('ssh-template-failed', { template, why })
  if (parsed === 'unbalanced') throw templateRefusal('unbalanced templating characters')
  const [first = '', ...texts] = parsed.texts
  return parsed.directives.reduce((text, directive, at) => {
    const value = templateValue(world, entity, directive)
    if (value === undefined) {
      throw templateRefusal('no value could be found for one of the template directives')
    }
    return text + value + (texts[at] ?? '')
  }, first)
}

function ttlOf(mount: Mount, role: SshRole, requested: number | undefined): number {
  const most = role.max_ttl || maxLeaseTtl(mount)
  const ttl = (requested ?? role.ttl) || defaultLeaseTtl(mount)
  if (ttl <= most) return ttl
  if (requested !== undefined) throw refuse('ssh-ttl-long', { most })
  return most
}

function optionsOf(
  role: SshRole,
  requestedOptions: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  if (Object.keys(requestedOptions).length === 0) return role.default_critical_options
  const names = disallowedNames(requestedOptions, role.allowed_critical_options)
  if (names !== undefined) throw refuse('ssh-options-not-allowed', { names })
  return requestedOptions
}

function extensionsOf(
  world: World,
  token: Token,
  role: SshRole,
  requestedExtensions: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  if (Object.keys(requestedExtensions).length > 0) {
    const names = disallowedNames(requestedExtensions, role.allowed_extensions)
    if (names !== undefined) throw refuse('ssh-extensions-not-allowed', { names })
    return requestedExtensions
  }
  if (!role.default_extensions_template) return role.default_extensions
  const hasEntity = entityOf(world, token) !== undefined
  const usable = Object.entries(role.default_extensions).filter(
    ([, value]) => hasEntity || !value.includes('{{'),
  )
  return Object.fromEntries(
    usable.map(([name, value]) => [name, fillTemplate(world, token, value)]),
  )
}

/**
 * Returns the names that a comma-separated list lacks, joined with spaces; undefined if it lacks
 * none. An empty list and `*` allow every name.
 */
function disallowedNames(requested: object, allowed: string): string | undefined {
  if (allowed === '' || allowed === '*') return undefined
  const list = allowed.split(',')
  const others = Object.keys(requested).filter((name) => !list.includes(name))
  return others.length === 0 ? undefined : others.join(' ')
}
