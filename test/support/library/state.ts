import { defineOptions, option } from '../../../state/kernel/options/options.ts'
import { defineMessages } from '../../../state/kernel/refusal.ts'
import { int, list, name, text, word } from '../../../state/kernel/shape/kinds.ts'
import { optional, struct } from '../../../state/kernel/shape/members.ts'
import { inputSchema } from '../../../state/kernel/shape/schema.ts'
import type { InputOf, StoredOf } from '../../../state/kernel/shape/values.ts'
import { defineTable } from '../../../state/kernel/store/table.ts'
import type { ServiceDefinition, TransitionKind } from '../../../state/kernel/worlds/service.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'

export const bookShape = struct({ id: name, title: text, place: word('shelf', 'lent') })
interface Book extends StoredOf<typeof bookShape> {}

export const newBookShape = struct({ title: name })

const messages = defineMessages({
  'book-absent': { kind: 'absent', text: 'there is no book {id}' },
  'title-taken': { kind: 'conflict', text: '{title} is there already' },
})

export const libraryMessages = messages.table
const { refuse } = messages

/** Books by id; titles are unique. */
export const books = defineTable({
  service: 'library',
  name: 'books',
  secrets: 'none',
  shape: bookShape,
  indexes: { byTitle: ({ title }) => title },
})

/** Adds a book and returns it. Throws `title-taken` if another book has the title. */
export function addBook(world: World, { title }: InputOf<typeof newBookShape>): Book {
  if (world.table(books).index('byTitle').has(title)) throw refuse('title-taken', { title })
  const book: Book = { id: world.ids.uuid(), title, place: 'shelf' }
  world.write(() => world.table(books).put(book.id, book))
  return book
}

const bookTransition: TransitionKind = {
  kind: 'library.book',
  summary: 'Books that are lent and come back.',
  targets: ['shelf', 'lent'],
  items: (world) =>
    Array.from(world.table(books).rows(), ({ id, place }) => ({
      id,
      state: place,
      to: [place === 'lent' ? 'shelf' : 'lent'],
    })),
  force: (world, id, to) => {
    const book = world.table(books).get(id)
    if (book === undefined) throw refuse('book-absent', { id })
    world.table(books).put(id, { ...book, place: to === 'lent' ? 'lent' : 'shelf' })
  },
}

export const libraryService: ServiceDefinition = {
  name: 'library',
  tables: [books],
  options: defineOptions('library', struct({ shelves: option(int, 3, 'How many there are') })),
  fixtures: { titles: inputSchema(list(text)) },
  jobs: {},
  transitions: [bookTransition],
  seed: () => {},
  load: (world, { titles }) => {
    const titleList = Array.isArray(titles) ? titles : []
    for (const title of titleList) addBook(world, { title: String(title) })
  },
  info: () => ({ motto: 'be quiet' }),
}

export const bookListShape = struct({ books: list(bookShape), note: optional(text) })
