let one = 1;
let two = 2; // <b>
let three = 3;
