import { quoteGo } from '../../../state/go/text.ts'
import { isAuthMount, type Mount, mountOf, mountsIn } from '../../../state/secrets/mounts/mounts.ts'
import { plainType } from '../../../state/secrets/mounts/types.ts'
import { rootNamespace } from '../../../state/secrets/namespaces/namespaces.ts'
import { optionsOf } from '../../../state/secrets/options.ts'
import { hasAnyCapabilityUnder } from '../../../state/secrets/policies/acl.ts'
import { endsInPeriod } from '../../http/router/router-mounts.ts'
import type { SecretsDialect } from '../dialect/dialect.ts'
import { refuse } from '../messages.ts'
import type { Documentation, DocumentationReader, SecretsRoute } from '../operation.ts'
import { mountHelp, mountsHelp, pathHelp, routeText } from './help.ts'
import { type DocumentedPath, openApiWriter } from './openapi.ts'
import { type RouteBelow, routesBelow } from './paths-below.ts'

/** Types of mounts that cannot be moved. */
const fixedMounts: ReadonlySet<string> = new Set(['system', 'token', 'identity', 'cubbyhole'])

export function createDocumentation(
  routesOf: (mount: Mount) => readonly SecretsRoute[],
  dialect: SecretsDialect,
): Documentation {
  const writeOpenApi = openApiWriter(dialect)
  /** Returns a copy of a mount in which the type has the dialect's name. */
  const withDialectType = (mount: Mount) => ({ ...mount, type: dialect.mountType(mount.type) })

  function helpReply(
    reader: DocumentationReader,
    help: string,
    paths: readonly DocumentedPath[],
  ): object {
    return { help, see_also: null, openapi: document(reader, paths) }
  }

  function document({ world }: DocumentationReader, paths: readonly DocumentedPath[]): object {
    return writeOpenApi(world, optionsOf(world).version, paths)
  }

  /** Returns all paths of the mounts, relative to `prefix`. */
  function pathsOf(
    reader: DocumentationReader,
    mounts: readonly Mount[],
    prefix: string,
  ): DocumentedPath[] {
    return mounts.flatMap((mount) => {
      const base = `/${mount.path.slice(prefix.length)}`
      return routesAt(reader, routesOf(mount), '').map((route) =>
        documentedPath(mount, route, base),
      )
    })
  }

  function mountsBelow(reader: DocumentationReader, helpPath: string): object {
    const prefix = helpPath === '' ? '' : `${helpPath}/`
    const mounts = visibleMounts(reader).filter(({ path }) => path.startsWith(prefix))
    if (mounts.length === 0 && helpPath !== '') {
      throw refuse('route-unknown', { path: quoteGo(helpPath) })
    }
    return helpReply(
      reader,
      mountsHelp(mounts.map(withDialectType)),
      pathsOf(reader, mounts, prefix),
    )
  }

  return {
    help(reader, path) {
      const helpPath = path.endsWith('/') ? path.slice(0, -1) : path
      const mount = mountOf(reader.world, reader.namespace, `${helpPath}/`)
      if (mount === undefined) return mountsBelow(reader, helpPath)
      const relativePath = helpPath.slice(mount.path.length)
      const routes = routesAt(reader, routesOf(mount), relativePath)
      if (routes.length === 0 || endsInPeriod(relativePath)) throw refuse('unsupported-path')
      const help =
        relativePath === ''
          ? mountHelp(withDialectType(mount), routes)
          : pathHelp(relativePath, routes, dialect.fieldName)
      return helpReply(
        reader,
        help,
        routes.map((route) => documentedPath(mount, route, '/')),
      )
    },
    openApiDocument(reader, genericMountPaths) {
      const mounts = visibleMounts(reader)
      if (!genericMountPaths) return document(reader, pathsOf(reader, mounts, ''))
      const paths = mounts.flatMap((mount) =>
        routesAt(reader, routesOf(mount), '').map((route) => genericPath(mount, route)),
      )
      return document(reader, paths)
    },
  }
}

/**
 * Returns the mounts that the reader's token can access: it has a capability on the mount's path or
 * on a path below it.
 */
function visibleMounts({ world, namespace, token }: DocumentationReader): Mount[] {
  return mountsIn(world, namespace).filter(
    ({ path }) => token !== undefined && hasAnyCapabilityUnder(world, token, namespace.path + path),
  )
}

/**
 * Returns an engine's routes at and below a path. Leaves out routes that do not exist in the
 * reader's namespace or in the edition of the world.
 */
function routesAt(
  { world, namespace }: DocumentationReader,
  routes: readonly SecretsRoute[],
  path: string,
) {
  const isRoot = namespace.id === rootNamespace.id
  const isEnterprise = optionsOf(world).edition === 'enterprise'
  const isAvailable = ({ first }: SecretsRoute) =>
    (isRoot || first.rootOnly !== true) && (isEnterprise || first.enterprise !== true)
  return routesBelow(routes.filter(isAvailable), path)
}

function documentedPath(mount: Mount, { route, segments }: RouteBelow, base: string) {
  return {
    route,
    path: base + routeText(segments),
    segments,
    mountParameter: undefined,
    mount: mount.path,
    tag: tagOf(mount),
  }
}

/**
 * Returns a path in which a parameter replaces the mount's path. The parameter has the reference's
 * name. The path of a mount that cannot be moved stays literal.
 */
function genericPath(mount: Mount, { route, segments }: RouteBelow): DocumentedPath {
  const prefix = isAuthMount(mount) ? 'auth/' : ''
  const mountName = mount.path.slice(prefix.length, -1)
  const name = `${mountName.replace(/\W/g, '_')}_mount_path`
  const isFixedMount = fixedMounts.has(plainType(mount.type))
  return {
    ...documentedPath(
      mount,
      { route, segments },
      `/${prefix}${isFixedMount ? mountName : `{${name}}`}/`,
    ),
    mountParameter: isFixedMount ? undefined : { name, mount: mountName },
  }
}

/** Returns the tag by which the reference groups operations. */
function tagOf(mount: Mount): string {
  if (isAuthMount(mount)) return 'auth'
  const type = plainType(mount.type)
  if (type === 'system' || type === 'identity') return type
  return 'secrets'
}
