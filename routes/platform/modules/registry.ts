import { list, text } from '../../../state/kernel/shape/kinds.ts'
import { described, struct } from '../../../state/kernel/shape/members.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import { type Caller, checkTokenKind, isMember } from '../../../state/platform/accounts/callers.ts'
import { refuse, requireFound } from '../../../state/platform/messages.ts'
import {
  type Module,
  type ModuleVersion,
  moduleNamed,
  modulesUnder,
} from '../../../state/platform/modules/modules.ts'
import { publishedVersions } from '../../../state/platform/modules/published.ts'
import { ensureModuleObject } from '../../../state/platform/objects.ts'
import { mayReadModules } from '../../../state/platform/organizations/administration.ts'
import { organizations } from '../../../state/platform/organizations/organizations.ts'
import { attributeTime } from '../../../state/platform/timestamps.ts'
import { answer, ok, operationFor } from '../../http/declare/operation.ts'
import type { PlatformDialect } from '../dialect.ts'
import { openQuery } from '../json-api/attributes.ts'
import { objectUrl } from '../objects/object-url.ts'
import { repositoryAddress } from './module-resource.ts'
import { detailShape, pageQuery, pageShape, versionsShape } from './registry-shapes.ts'

/** Path prefix of the registry protocol, through which users find modules. */
export const registryPrefix = '/api/registry/v1/modules'

const spec = 'behaviour/platform#beyond'

/** Context of operations in the registry's own protocol. */
export interface RegistryContext {
  readonly world: World
  readonly caller: Caller
  readonly dialect: PlatformDialect
  /** Scheme, host and world prefix as the caller used them. */
  readonly origin: string
}

const failure = struct({ errors: list(text) })
/** Failures of every operation in this protocol, each with a list of strings. */
export const registryFailures = { 401: failure, 404: failure } as const
const failures = registryFailures

type ModulePath = Readonly<Record<'namespace' | 'name' | 'provider', string>>

/**
 * Returns a private module and its published versions. Throws 404 if the module has no published
 * version or the caller may not read modules, and 401 if the organization does not accept the
 * caller's kind of token.
 */
function requirePublishedModule({ world, caller }: RegistryContext, names: ModulePath) {
  const { namespace: organization } = names
  const module = moduleNamed(world, { ...names, organization, registry_name: 'private' })
  if (module === undefined || !mayReadModules(world, caller, organization))
    throw refuse('not-found')
  checkTokenKind(world, caller, organization)
  const versions = publishedVersions(module)
  const newest = requireFound(versions[0])
  return { module, versions, newest }
}

/**
 * Returns a published version of a module by its number. Throws 404 if the module has no such
 * version, and the refusals of `requirePublishedModule`.
 */
function requirePublishedVersion(context: RegistryContext, names: ModulePath, number: string) {
  const { versions } = requirePublishedModule(context, names)
  const version = requireFound(versions.find((one) => one.version === number))
  return version
}

/** Renders the entry of a module in a list, with its newest version. */
function moduleSummary({ namespace, name, provider, vcs_repo }: Module, version: ModuleVersion) {
  return {
    id: [namespace, name, provider, version.version].join('/'),
    owner: '',
    namespace,
    name,
    version: version.version,
    provider,
    provider_logo_url: '',
    description: '',
    source: repositoryAddress(vcs_repo) ?? '',
    tag: '',
    published_at: attributeTime(version.created_at),
    downloads: 0,
    verified: false,
  } as const
}

function moduleDetail(module: Module, version: ModuleVersion, versions: readonly ModuleVersion[]) {
  const root = {
    path: '',
    name: module.name,
    readme: '',
    empty: false,
    inputs: [],
    outputs: [],
    dependencies: [],
    provider_dependencies: [],
    resources: [],
  }
  const detail = { root, submodules: [], examples: [], providers: [module.provider] }
  return {
    ...detail,
    versions: versions.map((one) => one.version),
    ...moduleSummary(module, version),
    ...(version.deprecation && { deprecation: version.deprecation }),
  }
}

/**
 * Returns the published private modules of an organization, each with its newest version. Throws
 * 404 unless the caller may read modules, and 401 if the organization does not accept the caller's
 * kind of token.
 */
function publishedModules({ world, caller }: RegistryContext, organization: string) {
  if (!mayReadModules(world, caller, organization)) throw refuse('not-found')
  checkTokenKind(world, caller, organization)
  return modulesUnder(world, organization, 'private').flatMap((module) => {
    const [newest] = publishedVersions(module)
    return newest === undefined ? [] : [{ module, newest }]
  })
}

type PublishedModule = ReturnType<typeof publishedModules>[number]

/** Returns one page of modules, with the addresses of the previous and the next page. */
function modulesPage(
  found: readonly PublishedModule[],
  path: string,
  query: Readonly<Partial<Record<'q' | 'limit' | 'offset' | 'provider' | 'namespace', string>>>,
) {
  const matching = found.filter(
    ({ module }) => !query.provider || module.provider === query.provider,
  )
  const numberIn = (sent = '') => (/^\d{1,9}$/.test(sent) ? Number(sent) : 0)
  const limit = Math.min(numberIn(query.limit) || 15, 100)
  const offset = numberIn(query.offset)
  const addressOf = (start: number) => {
    const parameters = { ...query, limit: String(limit), offset: String(start) }
    return `${registryPrefix}${path}?${new URLSearchParams(parameters)}`
  }
  const next = offset + limit
  const previous = Math.max(0, offset - limit)
  const isLast = next >= matching.length
  return ok({
    meta: {
      limit,
      current_offset: offset,
      ...(isLast ? {} : { next_offset: next, next_url: addressOf(next) }),
      ...(offset === 0 ? {} : { prev_offset: previous, prev_url: addressOf(previous) }),
    },
    modules: matching
      .slice(offset, next)
      .map(({ module, newest }) => moduleSummary(module, newest)),
  })
}

const operation = operationFor<RegistryContext>()
const modulePath = '/:namespace/:name/:provider'

/**
 * Operations of the registry protocol, through which users find and download modules
 * (behaviour/platform#beyond, registry protocol).
 */
export const registryOperations = [
  operation({
    id: 'searchPublishedModules',
    method: 'GET',
    path: '/search',
    summary: 'Search the published private modules of all organizations of the caller.',
    spec,
    query: openQuery({ q: described(text, 'Part of a name'), namespace: text, ...pageQuery }),
    reply: { 200: pageShape, 400: failure, ...failures },
    run: ({ context, query }) => {
      const { world, caller } = context
      const part = (query.q ?? '').toLowerCase()
      if (part === '') throw refuse('search-empty')
      const found = Array.from(world.table(organizations).rows())
        .filter(({ name }) => !query.namespace || name === query.namespace)
        .filter(({ name }) => isMember(world, caller, name))
        .flatMap(({ name }) => publishedModules(context, name))
        .filter(({ module }) => module.name.toLowerCase().includes(part))
      return modulesPage(found, '/search', query)
    },
  }),
  operation({
    id: 'listPublishedModules',
    method: 'GET',
    path: '/:namespace',
    summary: 'List the published private modules of an organization.',
    spec,
    query: openQuery(pageQuery),
    reply: { 200: pageShape, ...failures },
    run: ({ context, params: { namespace }, query }) =>
      modulesPage(publishedModules(context, namespace), `/${namespace}`, query),
  }),
  operation({
    id: 'listPublishedModulesOfName',
    method: 'GET',
    path: '/:namespace/:name',
    summary: 'List the published private modules of one name, one for each provider.',
    spec,
    query: openQuery(pageQuery),
    reply: { 200: pageShape, ...failures },
    run: ({ context, params: { namespace, name }, query }) => {
      const found = publishedModules(context, namespace).filter((one) => one.module.name === name)
      if (found.length === 0) throw refuse('not-found')
      return modulesPage(found, `/${namespace}/${name}`, query)
    },
  }),
  operation({
    id: 'listPublishedVersions',
    method: 'GET',
    path: `${modulePath}/versions`,
    summary: 'List the published versions of a private module, newest first.',
    spec,
    reply: { 200: versionsShape, ...failures },
    run: ({ context, params }) => {
      const { module, versions } = requirePublishedModule(context, params)
      const root = { providers: [], dependencies: [] }
      const listedVersions = versions.map(({ version, deprecation = null }) => ({
        version,
        root,
        submodules: [],
        deprecation,
      }))
      const source = [module.namespace, module.name, module.provider].join('/')
      return ok({ modules: [{ source, versions: listedVersions }] })
    },
  }),
  operation({
    id: 'downloadNewestVersion',
    method: 'GET',
    path: `${modulePath}/download`,
    summary: 'Return the download address of the newest version of a private module.',
    spec,
    reply: { 302: null, ...failures },
    run: ({ context, params }) => {
      const { newest } = requirePublishedModule(context, params)
      const { namespace, name, provider } = params
      const path = [registryPrefix, namespace, name, provider, newest.version, 'download']
      return answer(302, undefined, { headers: { location: context.origin + path.join('/') } })
    },
  }),
  operation({
    id: 'downloadVersion',
    method: 'GET',
    path: `${modulePath}/:version/download`,
    summary: 'Return the address of the archive of a published version in a header.',
    spec,
    reply: { 204: null, ...failures },
    run: ({ context, params: { version, ...names } }) => {
      const { id } = requirePublishedVersion(context, names, version)
      const address = `${objectUrl(context, ensureModuleObject(context.world, id))}?archive=tar.gz`
      const header = context.dialect.toWire('header', 'X-Infra-Get')
      return answer(204, undefined, { headers: { [header]: address } })
    },
  }),
  operation({
    id: 'readPublishedModule',
    method: 'GET',
    path: modulePath,
    summary: 'Read the newest published version of a private module.',
    spec,
    reply: { 200: detailShape, ...failures },
    run: ({ context, params }) => {
      const { module, versions, newest } = requirePublishedModule(context, params)
      return ok(moduleDetail(module, newest, versions))
    },
  }),
  operation({
    id: 'readPublishedVersion',
    method: 'GET',
    path: `${modulePath}/:version`,
    summary: 'Read a published version of a private module.',
    spec,
    reply: { 200: detailShape, ...failures },
    run: ({ context, params: { version: number, ...names } }) => {
      const version = requirePublishedVersion(context, names, number)
      const { module, versions } = requirePublishedModule(context, names)
      return ok(moduleDetail(module, version, versions))
    },
  }),
]
