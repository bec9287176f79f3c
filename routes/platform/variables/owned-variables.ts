import type { World } from '../../../state/kernel/worlds/world.ts'
import {
  findVariable,
  removeVariable,
  type Variable,
  type VariableInput,
} from '../../../state/platform/variables/variables.ts'
import { answer, ok } from '../../http/declare/operation.ts'
import { documentOf } from '../json-api/resource.ts'
import { operationsOn, type PlatformOperation, type Scope } from '../operation.ts'
import {
  ownedVariable,
  ownedVariableShape,
  variableForm,
  variableInputOf,
} from './variable-resource.ts'

/** Kind of owner of variables: a workspace or a variable set. */
interface VariableOwner<Owner extends { readonly id: string }> {
  /** Path of the owner's list of variables. */
  readonly path: `/${string}`
  /** Owner in the ids of operations, such as `Workspace`. */
  readonly name: string
  /** Owner in summaries, such as `a workspace`. */
  readonly noun: string
  readonly spec: string
  /** Finds the owner in the path, with 404 for callers who may not read or write its variables. */
  readonly findReadable: (scope: Scope) => Owner
  readonly findWritable: (scope: Scope) => Owner
  create(world: World, owner: Owner, input: VariableInput): Variable
  change(world: World, owner: Owner, variable: Variable, input: VariableInput): Variable
}

/** A variable in the path, with its owner. */
interface OwnedVariable<Owner> {
  readonly owner: Owner
  readonly variable: Variable
}

/** Returns a function that finds a variable of its owner. The function throws 404 if there is none. */
function findIn<Owner extends { readonly id: string }>(
  findOwner: (scope: Scope) => Owner,
): (scope: Scope) => OwnedVariable<Owner> {
  return (scope) => {
    const owner = findOwner(scope)
    const { variable_id: id = '' } = scope.params
    return { owner, variable: findVariable(scope.world, owner.id, id) }
  }
}

/** Returns the operations on single variables of a kind of owner. */
export function ownedVariableOperations<Owner extends { readonly id: string }>({
  path,
  name,
  noun,
  spec,
  findReadable,
  findWritable,
  create,
  change,
}: VariableOwner<Owner>): PlatformOperation[] {
  const onWritten = operationsOn('caller', findWritable, spec)
  const onReadVariable = operationsOn('caller', findIn(findReadable), spec)
  const onWrittenVariable = operationsOn('caller', findIn(findWritable), spec)
  const onePath = `${path}/:variable_id` as const
  const document = documentOf(ownedVariableShape)
  return [
    onWritten('POST', path, {
      id: `create${name}Variable`,
      summary: `Add a variable to ${noun}.`,
      body: variableForm,
      reply: { 201: document },
      run: ({ context, body }) => {
        const input = variableInputOf(body(), context)
        const variable = create(context.world, context.subject, input)
        return answer(201, { data: ownedVariable(variable, context) })
      },
    }),
    onReadVariable('GET', onePath, {
      id: `read${name}Variable`,
      summary: `Read a variable of ${noun}.`,
      reply: { 200: document },
      run: ({ context }) => ok({ data: ownedVariable(context.subject.variable, context) }),
    }),
    onWrittenVariable('PATCH', onePath, {
      id: `change${name}Variable`,
      summary: `Change what is named of a variable of ${noun}.`,
      body: variableForm,
      reply: { 200: document },
      run: ({ context, body }) => {
        const { owner, variable: before } = context.subject
        const variable = change(context.world, owner, before, variableInputOf(body(), context))
        return ok({ data: ownedVariable(variable, context) })
      },
    }),
    onWrittenVariable('DELETE', onePath, {
      id: `delete${name}Variable`,
      summary: `Delete a variable of ${noun}.`,
      reply: { 204: null },
      run: ({ context: { world, subject } }) => removeVariable(world, subject.variable),
    }),
  ]
}
