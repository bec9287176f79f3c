import { int, text } from '../../../state/kernel/shape/kinds.ts'
import { struct } from '../../../state/kernel/shape/members.ts'
import { projectWithId } from '../../../state/platform/projects/projects.ts'
import { managesVariableSets } from '../../../state/platform/variable-sets/rights.ts'
import {
  type VariableSet,
  variableSetAttributes,
} from '../../../state/platform/variable-sets/variable-sets.ts'
import { variablesOf } from '../../../state/platform/variables/variables.ts'
import { hasWorkspaceRight } from '../../../state/platform/workspaces/rights.ts'
import { workspaceWithId } from '../../../state/platform/workspaces/workspaces.ts'
import { attributeRenderer } from '../json-api/attributes.ts'
import { includesNothing, inclusionsOf } from '../json-api/include.ts'
import {
  flags,
  type Resource,
  relationOf,
  relationsOf,
  resourceShape,
  selfLink,
} from '../json-api/resource.ts'
import type { PlatformContext } from '../operation.ts'
import { projectResource, projectShape, projectType } from '../projects/project-resource.ts'
import { ownedVariable, ownedVariableShape, variableType } from '../variables/variable-resource.ts'
import {
  workspaceResource,
  workspaceShape,
  workspaceType,
} from '../workspaces/workspace-resource.ts'

export const variableSetType = 'varsets'

const renderer = attributeRenderer(variableSetAttributes)

/** Shape of a variable set (behaviour/platform#variable-sets). */
export const variableSetShape = resourceShape(
  variableSetType,
  struct({
    ...renderer.shape.fields,
    'var-count': int,
    'workspace-count': int,
    'project-count': int,
    permissions: flags(['can-update']),
  }),
  {
    relationships: struct({
      organization: relationOf('organizations'),
      vars: relationsOf(variableType),
      workspaces: relationsOf(workspaceType),
      projects: relationsOf(projectType),
      // The type of the owner is `organizations` or `projects`.
      parent: struct({ data: struct({ id: text, type: text }) }),
    }),
    links: selfLink,
  },
)

/** Renders a variable set with the caller's permission to change it. */
export function variableSetResource(
  set: VariableSet,
  { world, caller }: Pick<PlatformContext<unknown>, 'world' | 'caller'>,
): Resource {
  const { id, organization, project, workspaces, projects } = set
  const variables = variablesOf(world, id)
  const related = (type: string, ids: readonly string[]) => ({
    data: ids.map((each) => ({ id: each, type })),
  })
  const owner = { id: organization, type: 'organizations' }
  return {
    id,
    type: variableSetType,
    attributes: {
      ...renderer.render(set),
      'var-count': variables.length,
      'workspace-count': workspaces.length,
      'project-count': projects.length,
      permissions: { 'can-update': managesVariableSets(world, caller, set) },
    },
    relationships: {
      organization: { data: owner },
      vars: related(
        variableType,
        variables.map((one) => one.id),
      ),
      workspaces: related(workspaceType, workspaces),
      projects: related(projectType, projects),
      parent: { data: project === null ? owner : { id: project, type: projectType } },
    },
    links: { self: `/api/v2/${variableSetType}/${id}` },
  }
}

export const variableSetInclusions = inclusionsOf<VariableSet>(
  {
    workspaces: {
      find: ({ workspaces }, context) =>
        workspaces
          .flatMap((id) => workspaceWithId(context.world, id) ?? [])
          .filter((one) => hasWorkspaceRight(context.world, context.caller, one, 'visible'))
          .map((one) => workspaceResource(one, context)),
    },
    projects: {
      find: ({ projects }, context) =>
        projects
          .flatMap((id) => projectWithId(context.world, id) ?? [])
          .map((one) => projectResource(one, context)),
    },
    vars: {
      find: ({ id }, context) =>
        variablesOf(context.world, id).map((one) => ownedVariable(one, context)),
    },
    stacks: includesNothing,
  },
  [workspaceShape, projectShape, ownedVariableShape],
)
