class A { constructor(){this.x=1} }; class B extends A {}
const circ={n:1}; circ.me=circ;
const vals=[1,-0,'a','it\'s',"x\ny",null,undefined,true,10n,Symbol('q'),[],{},[1,2,3],{a:1,b:'x'},[[1,[2,[3,[4]]]]],{a:{b:{c:{d:1}}}},
 Array.from({length:10},(_, i)=>i),Array.from({length:30},(_, i)=>i*1000),Array.from({length:150},(_, i)=>i),Array.from({length:20},(_, i)=>'item'+i),
 new Map([['a',1],[{x:1},[2]]]),new Set([1,'b']),new A,new B,A,B,()=>1,function foo(){},async function bar(){},/x/g,new Date(0),circ,
 [undefined,null,NaN],[,1,,2],{['a-b']:1,[Symbol('s')]:2},new Uint8Array(5),Object.create(null),{f(){}, get x(){return 1}},
 {long:'a'.repeat(60),other:'b'.repeat(60)}, [{name:'ada',langs:['en','fr'],address:{city:'London',zip:'x'}},{name:'grace',langs:[],address:{city:'NY',zip:'y'}}],
 {a:[{b:{c:{}}}]}, 'a'.repeat(200), ['a'.repeat(30),'b'.repeat(30),'c'.repeat(30)], new Number(3), [1.5,2.25,-3], {u:undefined}, [['x',1],['y',2]], [[]], [{}], new Map(), new Set(), 
 {matrix:[[1,2,3],[4,5,6],[7,8,9]]},Array.from({length:7},(_, i)=>[i,i*i]), Array.from({length:8},(_,i)=>({id:i})), "multi\nline string that is longer than sixteen", ["multi\nline string that is longer than sixteen chars okay and even more than seventy six"], {a:1,b:2,c:3,d:4,e:5,f:6,g:7,h:8,i:9,j:10,k:11,l:12,m:13,n:14,o:15,p:16,q:17}, [true,false,null], new (class extends Array{})(3)];
for (const v of vals) console.log(v);
console.log("%s|%d|%i|%f|%j|%%", "s", 1.5, 2.7, "3.25", {a: 1}, "extra", {b: [2]});
