import type { World } from '../../kernel/worlds/world.ts'
import { refuse } from '../messages.ts'
import { isBlank, type TextInput, updatedText } from '../names.ts'
import { Violations } from '../violations.ts'
import { addProject, dropProject, type Project, projectNamed, putProject } from './projects.ts'

/** Input for a project; null counts as a blank text. */
type ProjectInput = TextInput<'name' | 'description'>

const [minNameLength, maxNameLength] = [3, 40]

/** Adds a project to an organization (behaviour/platform#beyond). */
export function createProject(world: World, organization: string, input: ProjectInput): Project {
  const validated = validate(world, organization, input)
  return world.write(() => addProject(world, organization, validated))
}

/** Changes the given members of a project. */
export function changeProject(world: World, project: Project, input: ProjectInput): Project {
  const validated = validate(world, project.organization, input, project)
  return world.write(() => putProject(world, { ...project, ...validated }))
}

/** Deletes a project. The default project cannot be deleted. */
export function deleteProject(world: World, project: Project): void {
  if (project.is_default) throw refuse('default-project-stays')
  world.write(() => dropProject(world, project))
}

function validate(world: World, organization: string, input: ProjectInput, before?: Project) {
  const violations = new Violations()
  const name = updatedText(input.name, before?.name).trim()
  const length = [...name].length
  if (isBlank(name)) violations.add('name', 'blank')
  else if (length < minNameLength) violations.add('name', 'too-short', { limit: minNameLength })
  else if (length > maxNameLength) violations.add('name', 'too-long', { limit: maxNameLength })
  else if (name !== before?.name && projectNamed(world, organization, name) !== undefined) {
    violations.add('name', 'taken')
  }
  violations.check()
  const description =
    input.description === undefined ? (before?.description ?? null) : input.description
  return { name, description }
}
