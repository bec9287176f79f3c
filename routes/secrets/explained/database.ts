import {
  type ConnectionProblem,
  type DatabaseConfig,
  databaseConfigs,
} from '../../../state/secrets/database/configs.ts'
import { databasePluginNames } from '../../../state/secrets/database/plugins.ts'
import { databaseRoles } from '../../../state/secrets/database/roles.ts'
import { databaseFaultOf, userNamesOf } from '../../../state/secrets/database/simulated.ts'
import { staticRoles } from '../../../state/secrets/database/static-roles.ts'
import { targetOf as databaseOf } from '../../../state/secrets/database/target.ts'
import type { Mount } from '../../../state/secrets/mounts/mounts.ts'
import { closestName } from '../../http/declare/similarity.ts'
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

const createUserStatement = `CREATE ROLE "{{name}}" WITH LOGIN PASSWORD '{{password}}' VALID UNTIL '{{expiration}}'`

/**
 * Returns the path segment of the roles that the operation concerns: `static-roles` for static
 * roles, `roles` for dynamic roles.
 */
function rolesFolder({ operation }: RefusedRequest): 'roles' | 'static-roles' {
  return /static/i.test(operation?.id ?? '') ? 'static-roles' : 'roles'
}

/**
 * Returns the name of the connection from the body, otherwise from the role, otherwise from the
 * path.
 */
function connectionName(request: RefusedRequest, mount: Mount): string {
  const { world } = request
  const name = lastSegment(request)
  const rows = rolesFolder(request) === 'roles' ? databaseRoles : staticRoles
  return String(memberOf(request, 'db_name') ?? rows.find(world, mount, name)?.db_name ?? name)
}

function connectionOf(request: RefusedRequest, mount: Mount): DatabaseConfig | undefined {
  return databaseConfigs.find(request.world, mount, connectionName(request, mount))
}

/**
 * Explains that a role is unknown, or that the name belongs to a static role instead of a dynamic
 * one or vice versa.
 */
const explainUnknownRole: ExplainInMount = (request, mount) => {
  const { world, path } = request
  const name = lastSegment(request)
  const isStatic = rolesFolder(request) === 'static-roles'
  const [roles, otherRoles] = isStatic ? [staticRoles, databaseRoles] : [databaseRoles, staticRoles]
  if (otherRoles.find(world, mount, name) !== undefined) {
    const [from, to] = isStatic ? ['static-creds', 'creds'] : ['creds', 'static-creds']
    const intendedPath = path.replace(`/${from}/`, `/${to}/`)
    return {
      because: `${name} is a ${isStatic ? 'dynamic' : 'static'} role of ${mount.path}, whose credentials are at ${mount.path}${to}/${name}`,
      change: `Send the request to ${intendedPath}`,
      request: { path: intendedPath },
    }
  }
  const [db_name] = databaseConfigs.names(world, mount)
  const body = isStatic
    ? { db_name, username: name, rotation_period: '24h' }
    : { db_name: db_name ?? 'example', creation_statements: [createUserStatement] }
  return explainUnknownName(request, mount, {
    kind: isStatic ? 'static role' : 'role',
    name,
    names: roles.names(world, mount),
    create: () =>
      sendTo(
        request,
        `${mount.path}${rolesFolder(request)}/${name}`,
        () => body,
        `Create the role ${name} first`,
      ),
  })
}

const explainUnknownConnection: ExplainInMount = (request, mount) => {
  const { world } = request
  const name = connectionName(request, mount)
  const isOfRole = name !== lastSegment(request)
  const rolePath = `${mount.path}${rolesFolder(request)}/${lastSegment(request)}`
  const details = { plugin_name: 'postgresql-database-plugin', verify_connection: false }
  const connection_url = 'postgresql://{{username}}:{{password}}@db.example.com:5432/app'
  return explainUnknownName(request, mount, {
    kind: 'connection',
    name,
    names: databaseConfigs.names(world, mount),
    ...(isOfRole && {
      replace: (db_name) =>
        memberOf(request, 'db_name') === undefined
          ? sendTo(request, rolePath, () => ({ db_name })).request
          : { body: (sent: unknown) => ({ ...Object(sent), db_name }) },
    }),
    create: () =>
      sendTo(
        request,
        `${mount.path}config/${name}`,
        () => ({ ...details, connection_url, username: 'admin', allowed_roles: ['*'] }),
        `Create the connection ${name} first`,
      ),
  })
}

const explainRoleNotAllowed: ExplainInMount = (request, mount) => {
  const name = connectionName(request, mount)
  const role = lastSegment(request)
  const { allowed_roles: allowed = [] } = { ...connectionOf(request, mount) }
  const what = allowed.length === 0 ? 'no roles' : `the roles ${joinNames(allowed)}`
  const body = { allowed_roles: [...allowed, role] }
  return {
    because: `the connection ${name} allows ${what} (allowed_roles), not ${role}`,
    ...sendTo(request, `${mount.path}config/${name}`, () => body, 'Add the role to allowed_roles'),
  }
}

const explainMissingStatements: ExplainInMount = (request, mount) => {
  const role = lastSegment(request)
  const body = { creation_statements: [createUserStatement] }
  return {
    because: `the role ${role} has no creation_statements, so it cannot create a user`,
    ...sendTo(
      request,
      `${mount.path}roles/${role}`,
      () => body,
      'Set creation_statements in the role',
    ),
  }
}

/**
 * Explains why a database refuses a statement or does not answer. The cause is an option of the
 * world or a user of the database. Returns undefined for other causes.
 */
const explainFailedDatabase: ExplainInMount = (request, mount) => {
  const { world, path } = request
  const name = connectionName(request, mount)
  const config = connectionOf(request, mount)
  if (config === undefined) return undefined
  const { id, username } = databaseOf(config)
  const fault = databaseFaultOf(world, id)
  const readConnectionRequest = {
    method: 'GET',
    path: path.slice(0, path.lastIndexOf(mount.path)) + `${mount.path}config/${name}`,
  }
  if (fault !== 'none') {
    return {
      because: `the option databaseFault makes the database ${id} of the connection ${name} fail: ${fault}`,
      change: `Set the option secrets.databaseFault to "none", or read the connection`,
      request: readConnectionRequest,
    }
  }
  const user = memberOf(request, 'username') ?? username
  const users = userNamesOf(world, id)
  if (rolesFolder(request) === 'roles' || users.includes(String(user))) return undefined
  const known = users.filter((each) => each !== username)
  const other = closestName(String(user), known) ?? known[0]
  return {
    because: `the database ${id} has no user ${String(user)}; it has ${known.length === 0 ? 'only its administrator' : joinNames(known)}`,
    ...(other === undefined
      ? { change: `Add the user to the option secrets.databases`, request: readConnectionRequest }
      : withField('username', other)(request)),
  }
}

const explainFailedConnection: ExplainInMount = (request, mount) => {
  const cause = request.refusal?.details['cause'] as ConnectionProblem | undefined
  if (cause === 'plugin') {
    const name = String(memberOf(request, 'plugin_name'))
    const plugin = closestName(name, databasePluginNames) ?? 'postgresql-database-plugin'
    return {
      because: `the catalogue has no database plug-in ${name}; it has ${plugin}`,
      ...withField('plugin_name', plugin)(request),
    }
  }
  if (cause === 'address') {
    const url = 'postgresql://{{username}}:{{password}}@db.example.com:5432/app'
    return {
      because: `the connection ${lastSegment(request)} has no "connection_url"`,
      ...withField('connection_url', url)(request),
    }
  }
  if (cause !== 'connection') return undefined
  const before = databaseConfigs.find(request.world, mount, lastSegment(request))
  const sent = { plugin_name: '', password: '', ...before }
  const { id } = databaseOf({
    ...sent,
    details: { ...before?.details, ...bodyOf(request) },
  })
  const fault = databaseFaultOf(request.world, id)
  const why = fault === 'none' ? 'does not accept the user with this password' : `is ${fault}`
  return {
    because: `the server tested the connection ${lastSegment(request)}, and the database ${id} ${why}`,
    ...withField('verify_connection', false)(request),
  }
}

function bodyOf({ body }: RefusedRequest): DatabaseConfig['details'] {
  return Object(body)
}

export const databaseExplanations = explainInMount({
  'database-role-unknown': explainUnknownRole,
  'static-role-unknown': explainUnknownRole,
  'database-connection-absent': explainUnknownConnection,
  'database-role-not-allowed': explainRoleNotAllowed,
  'creation-statements-empty': explainMissingStatements,
  'database-unreachable': explainFailedDatabase,
  'database-statement-failed': explainFailedDatabase,
  'static-role-unreachable': explainFailedDatabase,
  'static-role-not-set': explainFailedDatabase,
  'database-object-failed': explainFailedConnection,
  'database-plugin-missing': (request) => ({
    because: `the connection ${lastSegment(request)} has no plug-in ("plugin_name")`,
    ...withField('plugin_name', 'postgresql-database-plugin')(request),
  }),
  'database-role-without-connection': (request, mount) => ({
    because: `the role ${lastSegment(request)} has no connection ("db_name")`,
    ...withField('db_name', databaseConfigs.names(request.world, mount)[0] ?? 'example')(request),
  }),
  'static-role-period-short': (request) => ({
    because: `"rotation_period" is ${String(memberOf(request, 'rotation_period'))}; the minimum is 5 seconds`,
    ...withField('rotation_period', '5s')(request),
  }),
  'static-role-user-changed': (request, mount) => {
    const user = staticRoles.find(request.world, mount, lastSegment(request))?.username ?? ''
    const because = `the static role ${lastSegment(request)} is for the user ${user}, but "username" is ${String(memberOf(request, 'username'))}`
    return { because, ...withoutMembers('username') }
  },
})
