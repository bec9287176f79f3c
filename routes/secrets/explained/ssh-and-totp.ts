import { formatTimestamp } from '../../../state/kernel/time.ts'
import { type Mount, maxLeaseTtl, storagePrefix } from '../../../state/secrets/mounts/mounts.ts'
import { sshPasswordTable } from '../../../state/secrets/ssh/passwords.ts'
import { type SshRole, sshRoles } from '../../../state/secrets/ssh/roles.ts'
import { totpKeys } from '../../../state/secrets/totp/keys.ts'
import type { Diagnosis } from '../../http/journal-hooks/api-explanations.ts'
import type { RefusedRequest } from '../../http/journal-hooks/token-corrections.ts'
import {
  type ExplainInMount,
  explainInMount,
  explainUnknownName,
  joinNames,
  lastSegment,
  memberOf,
  withoutMembers,
} from './names.ts'
import { sendTo, withField } from './root-requests.ts'

const certificateRole = { key_type: 'ca', allow_user_certificates: true, allowed_users: '*' }
const passwordRole = { key_type: 'otp', default_user: 'ubuntu', cidr_list: '0.0.0.0/0' }

/** An OpenSSH public key for examples. Nobody has its private key. */
const examplePublicKey =
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ1Z8yLdpXPtXwU9JMKpPMFqO2DZsm0ZaYWcKXZ3c2Xh example'

/**
 * Returns a function that explains that a role is unknown.
 *
 * @param role body of the suggested request that creates the role
 */
function explainUnknownRole(role: object): ExplainInMount {
  return (request, mount) => {
    const name = lastSegment(request)
    const path = `${mount.path}roles/${name}`
    return explainUnknownName(request, mount, {
      kind: 'role',
      name,
      names: sshRoles.names(request.world, mount),
      create: () => sendTo(request, path, () => role, `Create the role ${name} first`),
    })
  }
}

/**
 * Returns a function that calls `explain` with the role that the path names. The explanation is
 * undefined if the role is unknown.
 */
function explainByRole(
  explain: (request: RefusedRequest, role: SshRole, mount: Mount) => Diagnosis,
): ExplainInMount {
  return (request, mount) => {
    const role = sshRoles.find(request.world, mount, lastSegment(request))
    return role && explain(request, role, mount)
  }
}

const isForHost = (request: RefusedRequest) => memberOf(request, 'cert_type') === 'host'

const explainPrincipal = explainByRole((request, role, mount) => {
  const name = lastSegment(request)
  const [what, allowed] = isForHost(request)
    ? ['hosts', role.allowed_domains]
    : ['users', role.allowed_users]
  const names = allowed.split(',').filter((each) => /^[\w.@-]+$/.test(each))
  const [first] = names
  const principal = String(request.refusal?.params['principal'] ?? role.default_user)
  const because = `the role ${name} allows ${names.length === 0 ? `no ${what}` : `the ${what} ${joinNames(names)}`}, not ${principal}`
  if (first !== undefined && !isForHost(request)) {
    return { because, ...withField('valid_principals', first)(request) }
  }
  const listMember = isForHost(request) ? 'allowed_domains' : 'allowed_users'
  const body = { ...role, [listMember]: '*', allow_subdomains: true }
  return {
    because,
    ...sendTo(request, `${mount.path}roles/${name}`, () => body, `Set "${listMember}" in the role`),
  }
})

const explainCertificateType = explainByRole((request, role) => {
  const allowed = role.allow_user_certificates ? 'user' : 'host'
  return {
    because: `the role ${lastSegment(request)} signs only certificates of type ${allowed}, but "cert_type" is ${String(request.refusal?.params['type'])}`,
    ...withField('cert_type', allowed)(request),
  }
})

const explainLongTtl = explainByRole((request, role, mount) => {
  const maxTtl = role.max_ttl || maxLeaseTtl(mount)
  return {
    because: `"ttl" is ${String(memberOf(request, 'ttl'))}, but the role ${lastSegment(request)} allows at most ${maxTtl} seconds`,
    ...withField('ttl', maxTtl)(request),
  }
})

/**
 * Returns a function that explains that the role does not allow some extensions or critical
 * options.
 */
function explainOptions(
  member: 'extensions' | 'critical_options',
  allowedIn: (role: SshRole) => string,
): ExplainInMount {
  return explainByRole((request, role) => {
    const allowed = allowedIn(role).split(',')
    const sent = Object.keys(Object(memberOf(request, member)))
    const others = sent.filter((name) => !allowed.includes(name))
    return {
      because: `the role ${lastSegment(request)} allows the ${member} ${joinNames(allowed)}, not ${joinNames(others)}`,
      ...withoutMembers(member),
    }
  })
}

const explainAddress = explainByRole((request, role) => {
  const [network = ''] = role.cidr_list.split(',')
  const address = network.slice(0, network.indexOf('/'))
  const excluded = role.exclude_cidr_list === '' ? '' : ` except ${role.exclude_cidr_list}`
  const because = `the role ${lastSegment(request)} allows addresses in ${role.cidr_list || 'no network'}${excluded}, but "ip" is ${String(memberOf(request, 'ip'))}`
  return address === '' ? { because } : { because, ...withField('ip', address)(request) }
})

const explainUser = explainByRole((request, { default_user, allowed_users }) => {
  const others = allowed_users === '' ? '' : ` and the users ${allowed_users}`
  return {
    because: `the role ${lastSegment(request)} allows its default user ${default_user}${others}, but "username" is ${String(memberOf(request, 'username'))}`,
    ...withField('username', default_user)(request),
  }
})

const explainKindOfRole = explainByRole((request, role) => {
  const makesPasswords = role.key_type === 'otp'
  const [from, to] = makesPasswords ? ['issue', 'creds'] : ['creds', 'issue']
  const path = request.path.replace(`/${from}/`, `/${to}/`)
  const result = makesPasswords ? 'one-time passwords' : 'certificates'
  return {
    because: `the role ${lastSegment(request)} has the key type ${role.key_type} and issues ${result} at ${to}/`,
    change: `Send the request to ${path}`,
    request: { path, body: () => (makesPasswords ? { ip: '10.0.0.1' } : { key_type: 'ed25519' }) },
  }
})

/**
 * Explains why a one-time password is refused, based on what the journal shows about the password.
 */
const explainUnknownPassword: ExplainInMount = (request, mount) => {
  const key = storagePrefix(mount) + String(memberOf(request, 'otp'))
  for (const { id, changes } of request.earlier()) {
    const change = changes.findLast(
      (each) => each.table === sshPasswordTable.id && each.key === key,
    )
    if (change === undefined || change.after !== undefined) continue
    return { because: `the request ${id} used or revoked the one-time password` }
  }
  return {
    because: `${mount.path} has not issued this one-time password, or its lease has expired`,
  }
}

const explainUnknownTotpKey: ExplainInMount = (request, mount) => {
  const name = lastSegment(request)
  const body = { generate: true, issuer: 'example', account_name: name }
  return explainUnknownName(request, mount, {
    kind: 'key',
    name,
    names: totpKeys.names(request.world, mount),
    create: () =>
      sendTo(request, `${mount.path}keys/${name}`, () => body, `Create the key ${name} first`),
  })
}

const readCodeRequest = ({ path }: RefusedRequest) => ({ method: 'GET', path })

const explainUsedCode: ExplainInMount = (request, mount) => {
  const { world, at } = request
  const name = lastSegment(request)
  const { period = 30 } = { ...totpKeys.find(world, mount, name) }
  const length = period * 1000
  const next = formatTimestamp((Math.floor(at / length) + 1) * length)
  return {
    because: `the code of ${name} was already used; each code can be used only once, and the next period of ${period} seconds begins at ${next}`,
    change: `Read the code that is valid from ${next}`,
    request: readCodeRequest(request),
  }
}

export const sshAndTotpExplanations = explainInMount({
  'ssh-role-to-sign-unknown': explainUnknownRole(certificateRole),
  'ssh-role-to-issue-unknown': explainUnknownRole(certificateRole),
  'ssh-role-unknown': explainUnknownRole(passwordRole),
  'ssh-ca-missing': (request, mount) => ({
    because: `${mount.path} has no signing keys yet`,
    ...sendTo(
      request,
      `${mount.path}config/ca`,
      () => ({ key_type: 'ed25519' }),
      'Generate the signing keys first',
    ),
  }),
  'ssh-principal-not-allowed': explainPrincipal,
  'ssh-principals-none': explainPrincipal,
  'ssh-cert-type-not-allowed': explainCertificateType,
  'ssh-ttl-long': explainLongTtl,
  'ssh-extensions-not-allowed': explainOptions(
    'extensions',
    ({ allowed_extensions }) => allowed_extensions,
  ),
  'ssh-options-not-allowed': explainOptions(
    'critical_options',
    ({ allowed_critical_options }) => allowed_critical_options,
  ),
  'ssh-key-id-not-allowed': explainByRole((request) => ({
    because: `the role ${lastSegment(request)} does not let callers choose "key_id" (allow_user_key_ids is false)`,
    ...withoutMembers('key_id'),
  })),
  'ssh-public-key-unreadable': (request) => ({
    because: '"public_key" is not a line of an OpenSSH public key, such as "ssh-ed25519 AAAA…"',
    ...withField('public_key', examplePublicKey)(request),
  }),
  'ssh-ip-of-no-role': explainAddress,
  'ssh-user-not-allowed': explainUser,
  'ssh-user-not-default': explainUser,
  'ssh-creds-of-ca': explainKindOfRole,
  'ssh-role-not-for-keys': explainKindOfRole,
  'ssh-otp-unknown': explainUnknownPassword,
  'totp-key-unknown': explainUnknownTotpKey,
  'totp-code-used': explainUsedCode,
  'totp-code-missing': (request) => ({
    because: `the request has no "code" to check`,
    change: 'Read the current code first',
    request: readCodeRequest(request),
  }),
  'totp-key-missing': (request) => ({
    because: `the key ${lastSegment(request)} is not generated, so the request must have "key" or "url"`,
    ...withField('key', 'JBSWY3DPEHPK3PXP')(request),
  }),
  'totp-key-invalid': (request) => ({
    because: `"key" is not base32: the character at position ${String(request.refusal?.params['at'])} is not A to Z or 2 to 7`,
    ...withField('key', 'JBSWY3DPEHPK3PXP')(request),
  }),
  'totp-issuer-missing': (request) => ({
    because: `the key ${lastSegment(request)} is generated, which requires an "issuer"`,
    ...withField('issuer', 'example')(request),
  }),
  'totp-account-missing': (request) => ({
    because: `the key ${lastSegment(request)} is generated, which requires an "account_name"`,
    ...withField('account_name', lastSegment(request))(request),
  }),
  'totp-digits': (request) => ({
    because: `"digits" is ${String(memberOf(request, 'digits'))}; codes have 6 or 8 digits`,
    ...withField('digits', 6)(request),
  }),
})
