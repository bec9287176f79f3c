import { any, bool, constant, nullable, text } from '../../../state/kernel/shape/kinds.ts'
import { secret, struct } from '../../../state/kernel/shape/members.ts'
import { simpleType } from '../../../state/platform/states/state-file.ts'
import {
  outputsOf,
  type StateVersion,
  type StateVersionOutput,
  stateVersionAttributes,
} from '../../../state/platform/states/state-versions.ts'
import { attributeRenderer } from '../json-api/attributes.ts'
import {
  identifierOf,
  inDialect,
  linkedRelation,
  linkedRelationOf,
  type Resource,
  relationOf,
  relationsOf,
  resourceShape,
  selfLink,
} from '../json-api/resource.ts'
import { objectUrl } from '../objects/object-url.ts'
import type { PlatformContext } from '../operation.ts'

export const stateVersionType = 'state-versions'
const outputType = 'state-version-outputs'
const workspaceOutputType = 'workspace-outputs'

const renderer = attributeRenderer(stateVersionAttributes)

const address = secret(nullable(text))
const attributes = struct({
  ...renderer.shape.fields,
  intermediate: constant(false),
  'hosted-state-download-url': address,
  'hosted-json-state-download-url': address,
  'hosted-state-upload-url': address,
  'hosted-json-state-upload-url': address,
  'vcs-commit-sha': constant(null),
  'vcs-commit-url': constant(null),
})

const optionalRelation = (type: string) => struct({ data: nullable(identifierOf(type)) })

export const stateVersionShape = resourceShape(stateVersionType, attributes, {
  relationships: struct({
    workspace: relationOf('workspaces'),
    run: optionalRelation('runs'),
    'created-by': linkedRelationOf('users'),
    outputs: relationsOf(outputType),
    'rollback-state-version': optionalRelation(stateVersionType),
  }),
  links: selfLink,
})

function relationTo(type: string, id: string | null) {
  return { data: id === null ? null : { id, type } }
}

/**
 * Renders a state version (behaviour/platform#state-versions). Only the reply to the request that
 * creates the version contains upload addresses.
 */
export function stateVersionResource(
  version: StateVersion,
  context: Pick<PlatformContext<unknown>, 'world' | 'dialect' | 'origin'>,
  { isNew = false } = {},
): Resource {
  const { id, workspace, run, created_by, rollback_of } = version
  const url = (object: string | null) => (object === null ? null : objectUrl(context, object))
  const resource: Resource = {
    id,
    type: stateVersionType,
    attributes: {
      ...renderer.render(version),
      ...(context.dialect.name === 'vendor' ? version.vendor_form : undefined),
      intermediate: false,
      'hosted-state-download-url': url(version.download),
      'hosted-json-state-download-url': url(version.json_download),
      'hosted-state-upload-url': isNew ? url(version.upload) : null,
      'hosted-json-state-upload-url': isNew ? url(version.json_upload) : null,
      'vcs-commit-sha': null,
      'vcs-commit-url': null,
    },
    relationships: {
      workspace: { data: { id: workspace, type: 'workspaces' } },
      run: relationTo('runs', run),
      'created-by': linkedRelation('users', created_by),
      outputs: { data: outputsOf(context.world, version).map(outputIdentifier) },
      'rollback-state-version': relationTo(stateVersionType, rollback_of),
    },
    links: { self: `/api/v2/state-versions/${id}` },
  }
  return inDialect(resource, attributes, context.dialect)
}

function outputIdentifier({ id }: StateVersionOutput) {
  return { id, type: outputType }
}

/**
 * Returns resource identifiers of outputs, with the resource type that replies about workspaces use
 * for outputs.
 */
export function workspaceOutputIdentifiers(outputs: readonly StateVersionOutput[]) {
  return outputs.map(({ id }) => ({ id, type: workspaceOutputType }))
}

const outputAttributes = { name: text, sensitive: bool, value: secret(any), 'detailed-type': any }

export const outputShape = resourceShape(outputType, struct({ ...outputAttributes, type: text }), {
  links: selfLink,
})

/** Shape of an output of the current state of a workspace. */
export const workspaceOutputShape = resourceShape(
  workspaceOutputType,
  struct({ ...outputAttributes, 'output-type': text }),
)

/** Returns the attributes of an output. A sensitive value is null unless `isRevealed`. */
function attributesOf(output: StateVersionOutput, isRevealed: boolean) {
  const { name, sensitive, value, detailed_type } = output
  return {
    name,
    sensitive,
    value: sensitive && !isRevealed ? null : value,
    'detailed-type': detailed_type,
  }
}

/** Renders an output. A sensitive value is null unless `isRevealed`. */
export function outputResource(output: StateVersionOutput, isRevealed = false): Resource {
  const { id, detailed_type } = output
  return {
    id,
    type: outputType,
    attributes: { ...attributesOf(output, isRevealed), type: simpleType(detailed_type) },
    links: { self: `/api/v2/state-version-outputs/${id}` },
  }
}

/** Renders an output of the current state of a workspace, without a sensitive value. */
export function workspaceOutputResource(output: StateVersionOutput): Resource {
  const { id, detailed_type } = output
  return {
    id,
    type: workspaceOutputType,
    attributes: { ...attributesOf(output, false), 'output-type': simpleType(detailed_type) },
  }
}
