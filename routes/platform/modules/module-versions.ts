import { list } from '../../../state/kernel/shape/kinds.ts'
import { optional } from '../../../state/kernel/shape/members.ts'
import { refuse, requireFound } from '../../../state/platform/messages.ts'
import { deleteModule, deleteModuleVersion } from '../../../state/platform/modules/changes.ts'
import type { Module } from '../../../state/platform/modules/modules.ts'
import {
  changeVersionStatus,
  createModuleVersion,
  findModuleVersion,
} from '../../../state/platform/modules/versions.ts'
import { answer, ok } from '../../http/declare/operation.ts'
import { inState } from '../json-api/attributes.ts'
import { documentOf, withExtraFields } from '../json-api/resource.ts'
import { operationsOn, type PlatformContext, type Scope } from '../operation.ts'
import { parseStatusChange, versionForm, versionStatusForm } from './module-input.ts'
import {
  deprecationResources,
  deprecationShape,
  versionResource,
  versionShape,
} from './module-resource.ts'
import {
  byFullName,
  byShortName,
  findModuleBy,
  findModulesBy,
  findModulesOfName,
} from './registry-scope.ts'

const spec = 'behaviour/platform#surroundings'
const deprecatedSpec = 'behaviour/platform#api-versioning; behaviour/platform#surroundings'

const namePath =
  '/organizations/:organization_name/registry-modules/:registry_name/:namespace/:name'
const onePath = `${namePath}/:provider` as const
const deprecatedPath = '/registry-modules/:organization_name/:name/:provider' as const
const deletePath = '/registry-modules/actions/delete/:organization_name/:name'

/**
 * Returns the modules that a path names for deletion. Throws the refusals of `findModulesBy`, and
 * 404 for a public module if the path names its provider. Public modules belong to other
 * organizations, so a request can only remove them from the list by their name, for all providers
 * at once.
 */
function findDeletableModules(scope: Scope): Module[] {
  const modules = findModulesBy(byFullName, 'manage')(scope)
  const namesProvider = scope.params['provider'] !== undefined
  if (namesProvider && modules.some((one) => one.registry_name === 'public'))
    throw refuse('not-found')
  return modules
}

function deleteAll({ world, subject }: PlatformContext<readonly Module[]>): void {
  world.write(() => {
    for (const module of subject) deleteModule(world, module)
  })
}

const onPrivateModule = operationsOn(
  'caller',
  findModuleBy(byFullName, 'manage'),
  'behaviour/platform#module-versions',
)

/** Operation that deprecates and revokes versions of private modules. */
const versionStatusOperations = [
  onPrivateModule('PATCH', `${onePath}/:version`, {
    id: 'changeModuleVersion',
    summary:
      'Deprecate or revoke a version of a private module, or undo the deprecation or revocation.',
    body: versionStatusForm,
    reply: {
      200: withExtraFields(documentOf(versionShape), {
        included: optional(list(deprecationShape)),
      }),
    },
    run: ({ context, params: { version: number }, body }) => {
      const { world, subject, dialect } = context
      if (subject.registry_name === 'public') throw refuse('not-found')
      const change = parseStatusChange(body(), dialect)
      const module = changeVersionStatus(world, subject, number, change)
      const pending = requireFound(findModuleVersion(world, module, number))
      const included = deprecationResources(pending.version)
      return ok({
        data: versionResource(pending, subject, context),
        ...(included.length === 0 ? {} : { included }),
      })
    },
  }),
]

/**
 * Operations on versions, declared once for the current routes and once for the deprecated routes.
 */
const versionOperationsByRoute = (
  [
    {
      naming: byFullName,
      findDeleted: findDeletableModules,
      suffix: '',
      versions: onePath,
      all: namePath,
      method: 'DELETE',
      spec,
    },
    {
      naming: byShortName,
      findDeleted: findModulesOfName,
      suffix: 'Deprecated',
      versions: deprecatedPath,
      all: deletePath,
      method: 'POST',
      spec: deprecatedSpec,
    },
  ] as const
).flatMap(({ naming, findDeleted, suffix, versions, all, method, spec }) => {
  const summaryText = (text: string) =>
    suffix === '' ? text.charAt(0).toUpperCase() + text.slice(1) : `Deprecated: ${text}`
  const onModule = operationsOn('caller', findModuleBy(naming, 'manage'), spec)
  const onModules = operationsOn('caller', findDeleted, spec)
  return [
    onModule('POST', `${versions}/versions`, {
      id: `createModuleVersion${suffix}`,
      summary: summaryText('add a version to a module; its archive goes to the link for uploads.'),
      body: versionForm,
      failures: [403],
      reply: { 201: documentOf(versionShape) },
      run: ({ context, body }) => {
        const { world, subject } = context
        const pending = createModuleVersion(world, subject, inState(body().attributes))
        return answer(201, { data: versionResource(pending, subject, context) })
      },
    }),
    onModules(method, all, {
      id: `deleteModules${suffix}`,
      summary: summaryText('delete a module, for all providers.'),
      run: ({ context }) => deleteAll(context),
    }),
    onModules(method, `${all}/:provider`, {
      id: `deleteModule${suffix}`,
      summary: summaryText('delete a module for one provider.'),
      run: ({ context }) => deleteAll(context),
    }),
    onModules(method, `${all}/:provider/:version`, {
      id: `deleteModuleVersion${suffix}`,
      summary: summaryText('delete a version of a module, and with the last the module.'),
      run: ({ context: { world, subject }, params: { version } }) => {
        const module = requireFound(subject.find((one) => one.registry_name === 'private'))
        deleteModuleVersion(world, module, version)
      },
    }),
  ]
})

export const versionOperations = [...versionOperationsByRoute, ...versionStatusOperations]
