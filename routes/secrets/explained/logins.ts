import { formatTimestamp } from '../../../state/kernel/time.ts'
import { certEntries } from '../../../state/secrets/cert/certs.ts'
import type { Entity } from '../../../state/secrets/identity/entities.ts'
import { jwtRoles } from '../../../state/secrets/jwt/roles.ts'
import type { BindFailureCause } from '../../../state/secrets/ldap/people.ts'
import { optionsOf } from '../../../state/secrets/options.ts'
import { users } from '../../../state/secrets/userpass/users.ts'
import { closestName } from '../../http/declare/similarity.ts'
import type { Amendment, Diagnosis } from '../../http/journal-hooks/api-explanations.ts'
import type { RefusedRequest } from '../../http/journal-hooks/token-corrections.ts'
import {
  type ExplainInMount,
  type Explanations,
  explainInMount,
  explainUnknownName,
  joinNames,
  lastSegment,
  memberOf,
} from './names.ts'
import { targetOf } from './request-target.ts'
import { rootHeaders, sendTo, withField } from './root-requests.ts'

/** Explains that the option `directoryFault` makes the directory of a login method fail. */
function explainDirectoryFault(request: RefusedRequest): Diagnosis {
  const { directoryFault } = optionsOf(request.world)
  const { mount } = targetOf(request)
  return {
    because: `the option directoryFault makes the directory of ${mount?.path ?? 'the method'} fail: ${directoryFault}`,
    change: 'Set the option secrets.directoryFault to "none", or read the configuration',
    request: readConfiguration(request),
  }
}

/** Returns a request that reads the configuration of the login method. */
function readConfiguration(request: RefusedRequest): Amendment {
  const { path } = request
  const headers = { ...rootHeaders(request) }
  return { method: 'GET', path: `${path.slice(0, path.lastIndexOf('/login'))}/config`, headers }
}

/**
 * Returns the names of the users that the option `secrets.directory` defines for a login method.
 */
function directoryUserNames({ world }: RefusedRequest, kind: 'ldap' | 'okta'): string[] {
  return Object.keys(optionsOf(world).directory[kind]?.users ?? {})
}

/** Explains that a directory does not contain a user; undefined if it contains the user. */
function explainUnknownPerson(
  request: RefusedRequest,
  kind: 'ldap' | 'okta',
): Diagnosis | undefined {
  const person = lastSegment(request)
  const known = directoryUserNames(request, kind)
  const isKnown = known.some((each) => each.toLowerCase() === person.toLowerCase())
  if (isKnown) return undefined
  const closest = closestName(person, known)
  const others = closest ?? (known.length === 0 ? 'nobody' : joinNames(known))
  const { path } = request
  return {
    because: `the option secrets.directory has no ${kind} user ${person}; it has ${others}`,
    ...(closest === undefined
      ? { change: `Add ${person} to secrets.directory.${kind}.users` }
      : {
          change: `Log in as ${closest}`,
          request: { path: path.slice(0, path.lastIndexOf('/') + 1) + closest },
        }),
  }
}

function explainBindingUser(request: RefusedRequest, person: string): Diagnosis {
  const path = `${targetOf(request).mount?.path ?? ''}config`
  const change =
    'Add the binding user to secrets.directory.ldap.binders, or remove it from the configuration'
  return {
    because: `the directory does not accept "binddn" and "bindpass" of the configuration, which are needed to look up ${person}`,
    ...sendTo(request, path, () => ({ binddn: '', bindpass: '' }), change),
  }
}

function explainLdapBind(request: RefusedRequest): Diagnosis | undefined {
  const cause = request.refusal?.details['cause'] as BindFailureCause | undefined
  const person = lastSegment(request)
  switch (cause) {
    case 'fault':
      return explainDirectoryFault(request)
    case 'binder':
      return explainBindingUser(request, person)
    case 'person':
      return explainUnknownPerson(request, 'ldap')
    default:
      return {
        because: `the password is not that of ${person} in the option secrets.directory`,
      }
  }
}

function explainOkta(request: RefusedRequest): Diagnosis {
  const because = `the password is not that of ${lastSegment(request)} in the option secrets.directory`
  return explainUnknownPerson(request, 'okta') ?? { because }
}

/** Explains that a user of the method `userpass` is unknown or has another password. */
const explainUserpass: ExplainInMount = (request, mount) => {
  const { world } = request
  const name = lastSegment(request)
  const path = `${mount.path}users/${name}`
  const send = (to: string, change: string) =>
    sendTo(request, to, (sent) => ({ password: memberOf({ body: sent }, 'password') }), change)
  if (users.find(world, mount, name) === undefined) {
    return explainUnknownName(request, mount, {
      kind: 'user',
      name,
      names: users.names(world, mount),
      create: () => send(path, `Create the user ${name} first`),
    })
  }
  return {
    because: `the password is not that of the user ${name} of ${mount.path}`,
    ...send(`${path}/password`, 'Send the password of the user, or set a new one'),
  }
}

/**
 * Explains that a login fails because of the user's status or factor in the option
 * `secrets.directory`.
 */
function explainOktaStatus(request: RefusedRequest): Diagnosis {
  const person = lastSegment(request)
  const user = optionsOf(request.world).directory.okta?.users?.[person]
  const isFactor = request.rule === 'okta-push-denied'
  const what = isFactor ? `the factor ${user?.factor}` : `the status ${user?.status}`
  return {
    because: `the option secrets.directory gives the okta user ${person} ${what}`,
    change: `Change ${person} in secrets.directory.okta.users, or set bypass_okta_mfa`,
    request: readConfiguration(request),
  }
}

const explainCertificate: ExplainInMount = ({ world }, mount) => {
  const names = certEntries.names(world, mount)
  return {
    because:
      names.length === 0
        ? `${mount.path} has no entries in certs/ and therefore trusts no certificate`
        : `${mount.path} trusts the certificates of ${joinNames(names)}, but the certificate of the client is not one of them, was issued by another CA, or is not valid at the time of the world's clock`,
    change: `Add the certificate, or its CA, with POST /v1/${mount.path}certs/…`,
  }
}

const explainUnknownLoginRole: ExplainInMount = (request, mount) => {
  const name = String(memberOf(request, 'role') ?? '')
  return explainUnknownName(request, mount, {
    kind: 'role',
    name,
    names: jwtRoles.names(request.world, mount),
    replace: (role) => ({ body: (sent) => ({ ...Object(sent), role }) }),
    create: undefined,
  })
}

/**
 * Explains why a login with the right credentials is refused: the user is locked out, the entity is
 * disabled, or the login comes from a network that is not allowed. Also explains why the token of a
 * disabled or deleted entity is refused. Returns undefined for other refusals.
 */
export function explainDeniedLogin(request: RefusedRequest): Diagnosis | undefined {
  const { alias, failures, lockedUntil, networks, entity, deletedEntity } = {
    ...request.refusal?.details,
  }
  if (Array.isArray(networks)) {
    const networkNames = joinNames(networks.map(String))
    return {
      rule: 'login-bound',
      because: `the login is bound to the networks ${networkNames}, but the request came from another network`,
      change: `Send the request from one of ${networkNames}`,
      spec: 'behaviour/secrets#login-token',
    }
  }
  if (entity !== undefined) {
    const { id, name } = entity as Entity
    const enabledBody = () => ({ disabled: false })
    return {
      rule: 'entity-disabled',
      because: `the entity ${name} is disabled`,
      ...sendTo(request, `identity/entity/id/${id}`, enabledBody, 'Enable the entity first'),
      spec: 'behaviour/secrets#entities',
    }
  }
  if (typeof deletedEntity === 'string') {
    return {
      rule: 'entity-deleted',
      because: `the entity ${deletedEntity} of the token was deleted`,
      change: 'Log in again, which creates a new entity',
      spec: 'behaviour/secrets#entities',
    }
  }
  if (typeof lockedUntil !== 'number') return undefined
  const { mount } = targetOf(request)
  const path = `sys/locked-users/${mount?.accessor ?? ''}/unlock/${String(alias)}`
  return {
    rule: 'user-locked',
    because: `${String(alias)} is locked out until ${formatTimestamp(lockedUntil)}, after ${String(failures)} failed logins in a row`,
    ...sendTo(request, path, () => ({}), 'Advance the clock, or unlock the user'),
    spec: 'behaviour/secrets#lockout',
  }
}

export const loginExplanations: Explanations = {
  'ldap-bind-failed': explainLdapBind,
  'ldap-unreachable': explainDirectoryFault,
  'ldap-password-empty': (request) => ({
    because: `the request has no password for ${lastSegment(request)}, and the configuration denies logins without one (deny_null_bind)`,
  }),
  'okta-refused': explainOkta,
  'okta-unreachable': explainDirectoryFault,
  'okta-token-refused': explainDirectoryFault,
  'github-unreachable': explainDirectoryFault,
  'github-token-refused': () => ({
    because: 'the token is not among the GitHub tokens of the option secrets.directory',
  }),
  'cert-connection-plain': () => ({
    because:
      'a certificate login requires a TLS connection with a client certificate, but this connection is plain HTTP',
    change: 'Start the server with --tls, and connect with a certificate',
  }),
  'cert-missing': () => ({
    because: 'the TLS connection has no client certificate',
    change: 'Connect with a certificate',
  }),
  'jwt-state-unknown': () => ({
    because:
      'no login with this "state" was started in the last five minutes, or the login is already complete',
    change: 'Start a login with POST oidc/auth_url',
  }),
  'okta-status-refused': explainOktaStatus,
  'okta-push-denied': explainOktaStatus,
  'okta-passcode-missing': (request) => ({
    because: `the okta user ${lastSegment(request)} has the factor totp, but the request has no "totp"`,
    ...withField('totp', '123456')(request),
  }),
  'github-not-member': (request) => ({
    because:
      'according to the option secrets.directory, the person is not in the configured organization',
    change: 'Add the organization to the person in secrets.directory.github.users',
    request: readConfiguration(request),
  }),
  ...explainInMount({
    'userpass-credentials-wrong': explainUserpass,
    'cert-untrusted': explainCertificate,
    'jwt-role-absent': explainUnknownLoginRole,
    'jwt-not-configured': (request, mount) => ({
      because: `${mount.path} is not configured: it has neither keys nor a provider`,
      change: `Configure it with POST ${request.path.slice(0, request.path.indexOf(mount.path))}${mount.path}config`,
    }),
  }),
}
