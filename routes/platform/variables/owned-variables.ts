import type { World } from '../../../state/kernel/worlds/world.ts'
import {
  findVariable,
  removeVariable,
  type Variable,
  type VariableInput,
} from '../../../state/platform/variables/variables.ts'
import { operationsOn, type PlatformOperation, type Rendering, type Scope } from '../operation.ts'
import {
  ownedVariable,
  ownedVariableShape,
  variableForm,
  variableInputOf,
} from './variable-resource.ts'

/** Kind of owner of variables: a workspace, a variable set or a policy set. */
interface VariableOwner<Owner extends { readonly id: string }> {
  /** Path of the owner's list of variables. */
  readonly path: `/${string}`
  /** Noun in the ids of operations, such as `WorkspaceVariable`. */
  readonly name: string
  /** Words for a variable and its owner in summaries, such as `a variable` and `a workspace`. */
  readonly nouns: readonly [variable: string, owner: string]
  readonly spec: string
  /** Finds the owner in the path. Throws 404 unless the caller may read its variables. */
  readonly findReadable: (scope: Scope) => Owner
  readonly findWritable: (scope: Scope) => Owner
  create(world: World, owner: Owner, input: VariableInput): Variable
  change(world: World, owner: Owner, variable: Variable, input: VariableInput): Variable
  /** Rendering of a variable. Default: `variableRendering`. */
  readonly rendering?: Rendering<Variable>
}

/** Rendering of a variable of a workspace or of a variable set. */
export const variableRendering = { shape: ownedVariableShape, render: ownedVariable }

interface OwnedVariable<Owner> {
  readonly owner: Owner
  readonly variable: Variable
}

/**
 * Returns a function that finds the variable in the path. The function throws 404 if the owner has
 * no such variable. The function also throws the refusals of `findOwner`.
 */
function findVariableIn<Owner extends { readonly id: string }>(
  findOwner: (scope: Scope) => Owner,
): (scope: Scope) => OwnedVariable<Owner> {
  return (scope) => {
    const owner = findOwner(scope)
    const { variable_id: id = '' } = scope.params
    return { owner, variable: findVariable(scope.world, owner.id, id) }
  }
}

/** Returns the operations that create, read, change and delete variables of one kind of owner. */
export function ownedVariableOperations<Owner extends { readonly id: string }>({
  path,
  name,
  nouns: [variable, owner],
  spec,
  findReadable,
  findWritable,
  create,
  change,
  rendering = variableRendering,
}: VariableOwner<Owner>): PlatformOperation[] {
  const onWritableOwner = operationsOn('caller', findWritable, spec)
  const onReadableVariable = operationsOn('caller', findVariableIn(findReadable), spec)
  const onWritableVariable = operationsOn('caller', findVariableIn(findWritable), spec)
  const onePath = `${path}/:variable_id` as const
  return [
    onWritableOwner.document('POST', path, rendering, {
      id: `create${name}`,
      summary: `Add ${variable} to ${owner}.`,
      body: variableForm,
      run: ({ context, body }) =>
        create(context.world, context.subject, variableInputOf(body(), context)),
    }),
    onReadableVariable.document('GET', onePath, rendering, {
      id: `read${name}`,
      summary: `Read ${variable} of ${owner}.`,
      run: ({ context }) => context.subject.variable,
    }),
    onWritableVariable.document('PATCH', onePath, rendering, {
      id: `change${name}`,
      summary: `Change the given attributes of ${variable} of ${owner}.`,
      body: variableForm,
      run({ context, body }) {
        const { world, subject } = context
        return change(world, subject.owner, subject.variable, variableInputOf(body(), context))
      },
    }),
    onWritableVariable('DELETE', onePath, {
      id: `delete${name}`,
      summary: `Delete ${variable} of ${owner}.`,
      run: ({ context: { world, subject } }) => removeVariable(world, subject.variable),
    }),
  ]
}
