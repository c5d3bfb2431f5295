// Room text. Ask here to have a decision answered that asks as it goes: a generator that yields questions and returns what it decides.

/**
 * Answers a decision's questions at once, one after the other.
 *
 * @param answer what the decision is told; for a question that wants none, as one that only lets others have a turn, undefined
 * @throws what the decision throws, or `answer`
 */
export function answerAll<Question, Answer, Result>(
  asking: Generator<Question, Result, Answer>,
  answer: (question: Question) => Answer | undefined,
): Result {
  let step = asking.next();
  while (step.done !== true) {
    const told = answer(step.value);
    step = told === undefined ? asking.next() : asking.next(told);
  }
  return step.value;
}

/**
 * {@link answerAll}, with answers that take time. A rejected one is thrown into the decision, which may continue.
 *
 * @throws what the decision throws
 */
export async function askAll<Question, Answer, Result>(
  asking: Generator<Question, Result, Answer>,
  ask: (question: Question) => Promise<Answer | undefined>,
): Promise<Result> {
  let step = asking.next();
  while (step.done !== true) {
    step = await ask(step.value).then(
      (told) => (told === undefined ? asking.next() : asking.next(told)),
      (error: unknown) => asking.throw(error),
    );
  }
  return step.value;
}
