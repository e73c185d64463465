use shardwright::*;
struct L;
impl input::Loader for L { fn load(&mut self, _f: source::FileId, path: &str, files: &mut source::Files) -> Result<source::FileId, String> { let t=std::fs::read_to_string(path).map_err(|e|e.to_string())?; Ok(files.add(path,t)) } }
fn main(){
  let a: Vec<String>=std::env::args().skip(1).collect();
  let mut files=source::Files::default();
  let id=files.add(a[0].clone(), std::fs::read_to_string(&a[0]).unwrap());
  let t0=std::time::Instant::now();
  let r=input::read(&[id],&mut files,&mut L);
  for f in &r.findings { let p=files.place(f.span.file,f.span.start); println!("{}:{} {} {}",p.line,p.column,f.code.name,f.message); }
  let d=r.design; println!("read {:?}",t0.elapsed());
  let e=target::engine(d.target.engine.as_ref().map_or("generic",|x|&x.0)).unwrap().on_nodes(d.target.nodes);
  let s=search::advise::setting_for(&d,e,None,None,&[]);
  println!("setting {:?}",t0.elapsed());
  let o=search::advise::Options{skip_robustness:a.len()>1,..Default::default()};
  let adv=search::advise::advise(&s,&o,&mut||false);
  println!("advise {:?}",t0.elapsed());
  println!("eff {:.4} {:?}",adv.assessment.totals.efficiency,adv.search);
  println!("{:?}",adv.verdict);
  for (t,c) in adv.candidates.iter().enumerate(){ let chosen=&adv.assessment.placed[t]; println!("{}: {}",d.tables[t].name,search::advise::describe(&s,chosen)); if a.len()>2 && (a[2]=="all"||a[2]==d.tables[t].name) { for x in c { println!("    {} {:<40} eff {:?} veto {:?} σ {:.2}/{:.2}/{:.2} sc {:.0} {:.0} {:.0} {:.0} {:.0}",x.rank,search::advise::describe(&s,&x.placed),x.efficiency.map(|e|(e*1e4).round()/1e4),x.veto.as_ref().map(|v|&v.message),x.busiest.rows,x.busiest.reads,x.busiest.writes,x.scores.cardinality,x.scores.skew,x.scores.fan_out,x.scores.co_location,x.scores.stability);}}}
  for p in &adv.assessment.patterns{ println!("  {:<40} {:<8} mean {:.4} multi {:.5} w {:.5} req {:.2} work {:.2} weighted {:.2} ideal {:.2}",d.pattern(p.pattern).name,p.routing.as_str(),p.touched.mean,p.touched.multi,p.written.multi,p.requests,p.work,p.weighted,p.ideal);}
  println!("{:?}",adv.assessment.totals);
  for i in &adv.indexes{ println!("index {} saves {:.1} costs {:.1}",i.index.name,i.saves,i.costs);}
  for r in &adv.rewrites{ println!("rewrite {} {}",d.pattern(r.pattern).name,r.add);}
  for r in &adv.robustness{ println!("{:?}",r);}
}
