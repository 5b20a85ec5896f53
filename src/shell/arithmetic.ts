import type { ArithmeticExpression } from "./parse.ts";

/** The value of an arithmetic expression of plain numbers as text, or undefined when it depends on anything else. */
export function arithmeticValue(expression: ArithmeticExpression | undefined): string | undefined {
  const value = expression === undefined ? 0 : compute(expression);
  return value === undefined || !Number.isSafeInteger(value) ? undefined : String(value);
}

function compute(node: ArithmeticExpression): number | undefined {
  switch (node.type) {
    case "ArithmeticGroup":
      return compute(node.expression);
    case "ArithmeticWord":
      return node.parts === undefined ? integer(node.value) : undefined;
    case "ArithmeticUnary": {
      const value = compute(node.operand);
      return value === undefined ? undefined : unary(node.operator, value);
    }
    case "ArithmeticBinary": {
      const [left, right] = [compute(node.left), compute(node.right)];
      return left === undefined || right === undefined ? undefined : binary(node.operator, [left, right]);
    }
    default:
      return undefined;
  }
}

function integer(text: string): number | undefined {
  if (/^0[0-7]+$/.test(text)) return Number.parseInt(text, 8);
  return /^(?:0[xX][\da-fA-F]+|0|[1-9]\d*)$/.test(text) ? Number(text) : undefined;
}

function unary(operator: string, value: number): number | undefined {
  if (operator === "-") return -value;
  return operator === "+" ? value : undefined;
}

function binary(operator: string, [left, right]: readonly [number, number]): number | undefined {
  switch (operator) {
    case "+":
      return left + right;
    case "-":
      return left - right;
    case "*":
      return left * right;
    case "/":
      return right === 0 ? undefined : Math.trunc(left / right);
    case "%":
      return right === 0 ? undefined : left % right;
    case "|":
      return left | right;
    case "&":
      return left & right;
    default:
      return undefined;
  }
}
