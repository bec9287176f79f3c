import { any, text } from '../../../state/kernel/shape/kinds.ts'
import { described, partial, struct, withOthers } from '../../../state/kernel/shape/members.ts'
import type { Given } from '../../../state/kernel/shape/values.ts'
import { checkTokenKind, hasRight } from '../../../state/platform/accounts/callers.ts'
import {
  changeModule,
  createModule,
  deleteModule,
  deleteModuleVersion,
  publishModule,
} from '../../../state/platform/modules/changes.ts'
import { type Module, modulesUnder } from '../../../state/platform/modules/modules.ts'
import { oauthClientWithId } from '../../../state/platform/modules/oauth-clients.ts'
import { createModuleVersion } from '../../../state/platform/modules/versions.ts'
import { refuse } from '../../../state/platform/texts.ts'
import { answer, noContent, ok } from '../../http/operation.ts'
import { inState } from '../json-api/attributes.ts'
import { pageOf } from '../json-api/pagination.ts'
import { documentOf, listOf } from '../json-api/resource.ts'
import { operationsOn, type PlatformContext } from '../operation.ts'
import { findOrganization, findOrganizationFor } from '../organizations/scopes.ts'
import {
  changeForm,
  changeIn,
  moduleForm,
  publicationForm,
  publicationIn,
  versionForm,
} from './module-input.ts'
import { moduleResource, moduleShape, versionResource, versionShape } from './module-resource.ts'
import {
  byAllNames,
  byShortName,
  findModuleBy,
  findModuleById,
  findModulesBy,
} from './registry-scope.ts'

const spec = '2-platform-decisions.md section 5.2'
const deprecated = '2-platform.md, Versioning 4; 2-platform-decisions.md section 5.2'

const listPath = '/organizations/:organization_name/registry-modules'
const namePath = `${listPath}/:registry_name/:namespace/:name` as const
const onePath = `${namePath}/:provider` as const
const deprecatedPath = '/registry-modules/:organization_name/:name/:provider' as const
const showPath = '/registry-modules/show/:organization_name/:name/:provider'
const deletePath = '/registry-modules/actions/delete/:organization_name/:name'

const moduleReply = documentOf(moduleShape)

const onOrganization = operationsOn('caller', findOrganization)
const onManaged = operationsOn('caller', findOrganizationFor('manage-modules'))
const onCaller = operationsOn('caller', () => undefined)
const onModuleId = operationsOn('caller', findModuleById)

/** Filters of the list; the names are the reference's. */
const query = withOthers(
  partial(
    struct({
      q: described(text, 'Part of a name, namespace or provider'),
      'filter[provider]': text,
      'filter[registry_name]': text,
      'filter[organization_name]': text,
    }),
  ),
  any,
)

type Filters = Given<typeof query>

function matches(module: Module, filters: Filters): boolean {
  const q = (filters.q ?? '').toLowerCase()
  const { name, namespace, provider } = module
  const passes = (wanted: string | undefined, value: string) => !wanted || wanted === value
  return (
    [name, namespace, provider].some((text) => text.toLowerCase().includes(q)) &&
    passes(filters['filter[provider]'], provider) &&
    passes(filters['filter[registry_name]'], module.registry_name) &&
    passes(filters['filter[organization_name]'], module.organization)
  )
}

function found({ context }: { readonly context: PlatformContext<Module> }) {
  const { world, subject, caller } = context
  return ok({ data: moduleResource(world, subject, caller) })
}

function created({ world, caller }: PlatformContext<unknown>, module: Module) {
  return answer(201, { data: moduleResource(world, module, caller) })
}

/** The organization of a deprecated publication: by its name, or by the token of its connection. */
function organizationOf(
  { world, caller }: PlatformContext<unknown>,
  name: string | null,
  token: string | null,
): string {
  const client = token === null ? undefined : oauthClientWithId(world, token)
  const byToken = client?.oauth_token_id === token ? client?.organization : undefined
  const organization = name ?? byToken
  if (organization === undefined) throw refuse('not-found')
  if (!hasRight(world, caller, organization, 'manage-modules')) throw refuse('not-found')
  checkTokenKind(world, caller, organization)
  return organization
}

/** Operations on what organizations publish, and on looking it up. */
const collection = [
  onOrganization({
    id: 'listModules',
    method: 'GET',
    path: listPath,
    summary: 'List the modules of an organization, by name.',
    spec,
    query,
    reply: { 200: listOf(moduleShape) },
    run: ({ context: { world, subject, caller, address }, query: filters }) => {
      const modules = modulesUnder(world, subject.name).filter((one) => matches(one, filters))
      return ok(pageOf(modules, (one) => moduleResource(world, one, caller), address))
    },
  }),
  onManaged({
    id: 'createModule',
    method: 'POST',
    path: listPath,
    summary: 'Add a module without a repository; it is pending until a version is uploaded.',
    spec,
    body: moduleForm,
    reply: { 201: moduleReply },
    run: ({ context, body }) => {
      const input = inState(body().attributes)
      return created(context, createModule(context.world, context.subject.name, input))
    },
  }),
  onManaged({
    id: 'publishModule',
    method: 'POST',
    path: `${listPath}/vcs`,
    summary: 'Add a module that comes from a repository, with its first version.',
    spec,
    body: publicationForm,
    reply: { 201: moduleReply },
    run: ({ context, body }) => {
      const { publication } = publicationIn(body(), context.dialect)
      return created(context, publishModule(context.world, context.subject.name, publication))
    },
  }),
  onCaller({
    id: 'publishModuleDeprecated',
    method: 'POST',
    path: '/registry-modules',
    summary: 'Deprecated: add a module that comes from a repository, with its first version.',
    spec: deprecated,
    body: publicationForm,
    reply: { 201: moduleReply },
    run: ({ context, body }) => {
      const { publication, organization, oauthToken } = publicationIn(body(), context.dialect)
      const name = organizationOf(context, organization, oauthToken)
      return created(context, publishModule(context.world, name, publication))
    },
  }),
]

/** One module, by each of its names. */
const one = [
  operationsOn(
    'caller',
    findModuleBy(byAllNames, 'read'),
  )({
    id: 'readModule',
    method: 'GET',
    path: onePath,
    summary: 'Read a module.',
    spec,
    reply: { 200: moduleReply },
    run: found,
  }),
  operationsOn(
    'caller',
    findModuleBy(byShortName, 'read'),
  )({
    id: 'readModuleDeprecated',
    method: 'GET',
    path: showPath,
    summary: 'Deprecated: read a private module.',
    spec: deprecated,
    reply: { 200: moduleReply },
    run: found,
  }),
  onModuleId({
    id: 'readModuleById',
    method: 'GET',
    path: '/registry-modules/:module_id',
    summary: 'Read a module by its id.',
    spec,
    reply: { 200: moduleReply },
    run: found,
  }),
  operationsOn(
    'caller',
    findModuleBy(byAllNames, 'manage'),
  )({
    id: 'changeModule',
    method: 'PATCH',
    path: onePath,
    summary: 'Change how a module is tested and published.',
    spec,
    body: changeForm,
    reply: { 200: moduleReply },
    run: ({ context, body }) => {
      const { world, subject, caller, dialect } = context
      const module = changeModule(world, subject, changeIn(body(), dialect))
      return ok({ data: moduleResource(world, module, caller) })
    },
  }),
]

/** The same in the new routes and in the deprecated ones. */
const versionsAndDeletion = (
  [
    { naming: byAllNames, suffix: '', versions: onePath, all: namePath, method: 'DELETE', spec },
    {
      naming: byShortName,
      suffix: 'Deprecated',
      versions: deprecatedPath,
      all: deletePath,
      method: 'POST',
      spec: deprecated,
    },
  ] as const
).flatMap(({ naming, suffix, versions, all, method, spec }) => {
  const words = (text: string) =>
    suffix === '' ? text.charAt(0).toUpperCase() + text.slice(1) : `Deprecated: ${text}`
  const onModule = operationsOn('caller', findModuleBy(naming, 'manage'))
  const onModules = operationsOn('caller', findModulesBy(naming, 'manage'))
  return [
    onModule({
      id: `createModuleVersion${suffix}`,
      method: 'POST',
      path: `${versions}/versions`,
      summary: words('add a version to a module; its archive goes to the link for uploads.'),
      spec,
      body: versionForm,
      reply: { 201: documentOf(versionShape) },
      run: ({ context, body }) => {
        const { world, subject } = context
        const awaited = createModuleVersion(world, subject, body().attributes.version)
        return answer(201, { data: versionResource(awaited, subject, context) })
      },
    }),
    onModules({
      id: `deleteModules${suffix}`,
      method,
      path: all,
      summary: words('delete a module, for all providers.'),
      spec,
      reply: { 204: null },
      run: ({ context: { world, subject } }) => {
        world.write(() => {
          for (const module of subject) deleteModule(world, module)
        })
        return noContent
      },
    }),
    onModule({
      id: `deleteModule${suffix}`,
      method,
      path: `${all}/:provider`,
      summary: words('delete a module for one provider.'),
      spec,
      reply: { 204: null },
      run: ({ context: { world, subject } }) => {
        deleteModule(world, privateOnly(subject))
        return noContent
      },
    }),
    onModule({
      id: `deleteModuleVersion${suffix}`,
      method,
      path: `${all}/:provider/:version`,
      summary: words('delete a version of a module, and with the last the module.'),
      spec,
      reply: { 204: null },
      run: ({ context: { world, subject }, params: { version } }) => {
        deleteModuleVersion(world, privateOnly(subject), version)
        return noContent
      },
    }),
  ]
})

/** Public modules belong to others: only the whole name can be taken off the list. */
function privateOnly(module: Module): Module {
  if (module.registry_name === 'public') throw refuse('not-found')
  return module
}

/** Modules of the registry, in the new routes and in the deprecated ones. */
export const registryModuleOperations = [...collection, ...one, ...versionsAndDeletion]
