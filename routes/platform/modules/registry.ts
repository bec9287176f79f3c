import { bool, constant, int, list, text } from '../../../state/kernel/shape/kinds.ts'
import { struct } from '../../../state/kernel/shape/members.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import { type Caller, checkTokenKind, isMember } from '../../../state/platform/accounts/callers.ts'
import { refuse, requireFound } from '../../../state/platform/messages.ts'
import {
  type Module,
  type ModuleVersion,
  moduleNamed,
} from '../../../state/platform/modules/modules.ts'
import { publishedVersions } from '../../../state/platform/modules/published.ts'
import { moduleObject } from '../../../state/platform/objects.ts'
import { attributeTime } from '../../../state/platform/timestamps.ts'
import { answer, ok, operationFor } from '../../http/declare/operation.ts'
import type { PlatformDialect } from '../dialect.ts'
import { objectUrl } from '../objects/object-url.ts'
import { repositoryAddress } from './module-resource.ts'

/** Path prefix of the registry protocol, through which users find modules. */
export const registryPrefix = '/api/registry/v1/modules'

const spec = 'behaviour/platform#beyond'

/** Context of operations in the registry's own protocol. */
interface RegistryContext {
  readonly world: World
  readonly caller: Caller
  readonly dialect: PlatformDialect
  /** Scheme, host and world prefix as the caller used them. */
  readonly origin: string
}

/** Failure in this protocol, as a list of texts. */
const failure = struct({ errors: list(text) })
const failures = { 401: failure, 404: failure } as const

const emptyList = list(text, { maxItems: 0 })

const rootShape = struct({ providers: emptyList, dependencies: emptyList })

const versionsShape = struct({
  modules: list(
    struct({
      source: text,
      versions: list(struct({ version: text, root: rootShape, submodules: emptyList })),
    }),
  ),
})

const detailShape = struct({
  id: text,
  owner: constant(''),
  namespace: text,
  name: text,
  version: text,
  provider: text,
  provider_logo_url: constant(''),
  description: constant(''),
  source: text,
  tag: constant(''),
  published_at: text,
  downloads: int,
  verified: bool,
  root: struct({
    path: constant(''),
    name: text,
    readme: constant(''),
    empty: bool,
    inputs: emptyList,
    outputs: emptyList,
    dependencies: emptyList,
    provider_dependencies: emptyList,
    resources: emptyList,
  }),
  submodules: emptyList,
  examples: emptyList,
  providers: list(text),
  versions: list(text),
})

type ModulePath = Readonly<Record<'namespace' | 'name' | 'provider', string>>

/**
 * Returns a private module and its published versions, of which there is at least one. Throws 404
 * otherwise, or if the caller is not a member.
 */
function requirePublishedModule({ world, caller }: RegistryContext, names: ModulePath) {
  const { namespace: organization } = names
  const module = moduleNamed(world, { ...names, organization, registry_name: 'private' })
  if (module === undefined || !isMember(world, caller, organization)) throw refuse('not-found')
  checkTokenKind(world, caller, organization)
  const versions = publishedVersions(module)
  const newest = requireFound(versions[0])
  return { module, versions, newest }
}

/** Returns a published version of a module by its number. Throws 404 if there is none. */
function requirePublishedVersion(context: RegistryContext, names: ModulePath, number: string) {
  const { versions } = requirePublishedModule(context, names)
  const version = requireFound(versions.find((one) => one.version === number))
  return version
}

function moduleDetail(module: Module, version: ModuleVersion, versions: readonly ModuleVersion[]) {
  const { namespace, name, provider } = module
  return {
    id: [namespace, name, provider, version.version].join('/'),
    owner: '',
    namespace,
    name,
    version: version.version,
    provider,
    provider_logo_url: '',
    description: '',
    source: repositoryAddress(module.vcs_repo) ?? '',
    tag: '',
    published_at: attributeTime(version.created_at),
    downloads: 0,
    verified: false,
    root: {
      path: '',
      name,
      readme: '',
      empty: false,
      inputs: [],
      outputs: [],
      dependencies: [],
      provider_dependencies: [],
      resources: [],
    },
    submodules: [],
    examples: [],
    providers: [provider],
    versions: versions.map((one) => one.version),
  }
}

const operation = operationFor<RegistryContext>()
const modulePath = '/:namespace/:name/:provider'

/**
 * Operations of the registry protocol, through which users find and download modules
 * (behaviour/platform#beyond, registry protocol).
 */
export const registryOperations = [
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
      const listedVersions = versions.map(({ version }) => ({ version, root, submodules: [] }))
      const source = [module.namespace, module.name, module.provider].join('/')
      return ok({ modules: [{ source, versions: listedVersions }] })
    },
  }),
  operation({
    id: 'downloadNewestVersion',
    method: 'GET',
    path: `${modulePath}/download`,
    summary: 'Find where the newest version of a private module is downloaded.',
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
    summary: 'Find the archive of a published version: a header says where it is.',
    spec,
    reply: { 204: null, ...failures },
    run: ({ context, params: { version, ...names } }) => {
      const { id } = requirePublishedVersion(context, names, version)
      const address = `${objectUrl(context, moduleObject(context.world, id))}?archive=tar.gz`
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
